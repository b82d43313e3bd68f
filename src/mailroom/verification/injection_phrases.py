"""Data: how texts tell their reader what to do, language by language.

Each entry is (stems, pattern). The stems are plain text and cheap to look for; the pattern is tried
only on a page that holds one of them. Patterns run on normalised text: one case, no accents on
Latin letters, one space between words. `…` stands for up to six words that do not end a sentence. A
`¶` at the beginning asks for an imperative: a sentence begins there, or "please" stands before.
"""

# Texts that say to leave the reader's instructions.
IGNORE = [
    (
        "ignor disregard forget overrid bypass discard neglect",
        r"¶(?:ignore|disregard|forget|override|bypass|discard|neglect)…"
        r"(?:instructions?|prompts?|rules|guidelines|directives|commands|orders given|(?:system|"
        r"developer) message|(?:everything|anything|all|what)(?: that)?(?: you)?(?: were| was|"
        r" is| has"
        r" been| have been)? (?:above|before|told|said|written|shown)|(?:previous|prior|earlier|"
        r"preceding|above) (?:text|context|content|values|data|pages?|figures|amounts|totals?))",
    ),
    (
        "instruction",
        r"(?:these|those|the following|my|new|updated|real|actual|secret|hidden|revised)"
        r" instructions?"
        r" (?:override|supersede|replace|take precedence|for the (?:ai|model|assistant|reader|"
        r"reviewer|extractor|classifier)|come first)",
    ),
    (
        "ignor missacht vergiss vergess ubergeh",
        r"¶(?:ignorier\w*|missacht\w*|vergiss|vergessen sie|vergesst|ubergeh\w*)…"
        r"(?:anweisung\w*|instruktion\w*|regeln?|vorgaben?|befehle?|prompts?|systemnachricht|"
        r"alles (?:vorherige|bisherige|obige|oben|davor))",
    ),
    (
        "ignore oublie ne ten",
        r"¶(?:ignore[zr]?|oublie[zr]?|ne (?:tiens|tenez) (?:pas|aucun) compte|ne pas tenir compte)…"
        r"(?:instructions?|consignes?|regles?|directives?|ordres|prompts?|tout ce qui precede)",
    ),
    (
        "ignor olvid haga caso omit descart",
        r"¶(?:ignor(?:a|e|en|ar)|olvid(?:a|e|en|ar)|(?:haz|haga|hagan) caso omiso|omit(?:a|e|ir)|"
        r"descart(?:a|e|ar)|no (?:sigas|siga|hagas caso))…"
        r"(?:instrucci(?:on|ones)|reglas?|ordenes|indicaciones|directrices|prompts?|todo lo"
        r" anterior)",
    ),
    (
        "ignor dimentic trascur",
        r"¶(?:ignora(?:re|te)?|dimentica(?:re|te)?|trascura(?:re|te)?|non (?:seguire"
        r"|considerare))…"
        r"(?:istruzion[ei]|regol[ae]|ordini|indicazioni|direttive|prompts?|tutto (?:quanto|cio"
        r" che)"
        r" (?:sopra|precede))",
    ),
    (
        "ignor esque desconsider",
        r"¶(?:ignor(?:e|a|ar|em)|esque(?:ca|ce|cer)|desconsider(?:e|a|ar|em)|nao siga)…"
        r"(?:instruc(?:ao|oes)|regras?|ordens|orientacoes|diretrizes|prompts?|tudo (?:o que )?"
        r"(?:acima|anterior))",
    ),
    (
        "negeer vergeet",
        r"¶(?:negeer|vergeet)…"
        r"(?:instructies?|regels?|opdrachten|aanwijzingen|richtlijnen|prompts?|alles hierboven)",
    ),
    (
        "忽略 忽视 無視 无视 不要理会 不要遵 忘记 忘掉",
        r"(?:忘记|忘掉|忽略|忽视|無視|无视|不要理会|不要遵[守循]).{0,14}?(?:指令|指示|说明|說明|规则|規則|提示|命令|要求)",
    ),
    (
        "無視 従わ 忘れ",
        r"(?:指示|命令|ルール|規則|プロンプト|説明).{0,10}?(?:無視|従わない|忘れ)",
    ),
    (
        "무시",
        r"(?:지시|명령|규칙|프롬프트|지침).{0,10}?무시",
    ),
    (
        "игнорир забуд не обраща",
        r"(?:игнорируй(?:те)?|проигнорируй(?:те)?|забудь(?:те)?|не обращай(?:те)? внимания)…"
        r"(?:инструкц\w*|указани\w*|правил\w*|команд\w*|промпт\w*|все,? что выше)",
    ),
]

# Texts that say what is to be answered. «value» is an amount, a quotation, or a class.
ANSWER = [
    (
        "total amount class invoice document currency date number iban account vendor payee"
        " field value"
        " receipt",
        r"¶(?:report|set|answer|record|output|extract|return|respond|reply|use|give|write"
        r"|state|enter"
        r"|submit|change|replace|put|read|take|treat|consider|assume|accept|say)…"
        r"(?:total|subtotal|amount|balance|currency|(?:invoice |due )?date|(?:invoice |account"
        r" )?number"
        r"|iban|vendor|payee|fields?|values?|class|type|category|confidence)"
        r"(?: \w+){0,3}? ?(?:as|to|=|:|is|with|be)(?: being| exactly| equal to| value)? ?«value»",
    ),
    (
        "answer respond reply output return",
        r"¶(?:answer|respond|reply|output|return)(?: only| just| simply| exactly)? "
        r"(?:with|only|just|the following|this)…«value»",
    ),
    (
        "classif categor treat label choose pick select file tag",
        r"¶(?:re)?(?:classify|categori[sz]e|treat|label|tag|file|choose|pick|select|process"
        r"|regard)…"
        r"(?:document|file|page|text|email|letter|invoice|it|this|class|tool|type|category)…"
        r"«class»(?: (?:class|tool|document|instead))?(?= ?(?:[.!,;:)\n]|instead|and |not |$))",
    ),
    (
        "correct total true total real total actual total final total correct answer total is"
        " total must",
        r"\b(?:correct|true|real|actual|right|only valid) (?:total|answer|class|value|output)"
        r"(?: \w+){0,4}? (?:is|=|:|should be|must be) ?«value»",
    ),
    (
        "total betrag summe rechnung dokument wahrung datum",
        r"¶(?:gib|geben sie|melde\w*|setze\w*|trage\w*|nenne\w*|verwende\w*|antworte\w*"
        r"|schreibe\w*|"
        r"berichte\w*|erfasse\w*)…"
        r"(?:gesamtbetrag|gesamtsumme|summe|betrag|total|rechnungsbetrag|wahrung|datum|klasse)…"
        r"(?:als|auf|mit|an:?|=|:) ?«value»",
    ),
    (
        "total montant somme facture document devise",
        r"¶(?:indique[zr]?|mets|mettez|donne[zr]?|reponds|repondez|renvoie[zr]?|renvoyez"
        r"|utilise[zr]?|"
        r"ecri[st]|ecrivez|declare[zr]?|saisis(?:sez)?|remplace[zr]?|fixe[zr]?)…"
        r"(?:total|montant|somme|devise|date|classe)…(?:comme|a|par|de|=|:|est|sur) ?«value»",
    ),
    (
        "total importe monto suma factura",
        r"¶(?:indi(?:ca|que)|pon(?:ga)?|da|de|respond(?:e|a)|devuelv(?:e|a)|us(?:a|e)"
        r"|escrib(?:e|a)|"
        r"report(?:a|e)|establece|establezca|declar(?:a|e)|fij(?:a|e)|inform(?:a|e))…"
        r"(?:total|importe|monto|suma|moneda|fecha|clase)…(?:como|a|en|de|por|=|:|es) ?«value»",
    ),
    (
        "total importo somma fattura",
        r"¶(?:indica(?:re|te)?|imposta(?:re|te)?|riporta(?:re|te)?|rispondi|rispondere"
        r"|usa(?:re|te)?|"
        r"scrivi|scrivere|inserisci|inserire|dichiara(?:re|te)?|segnala(?:re|te)?)…"
        r"(?:totale|importo|somma|valuta|data|classe)…(?:come|a|su|di|pari a|=|:|e) ?«value»",
    ),
    (
        "total valor montante soma fatura",
        r"¶(?:indique|informe|coloque|defina|responda|devolva|use|escreva|reporte|declare"
        r"|registe|"
        r"registre|retorne)…"
        r"(?:total|valor|montante|soma|moeda|data|classe)…(?:como|para|em|de|por|=|:|e) ?«value»",
    ),
    (
        "totaal bedrag som factuur",
        r"¶(?:geef|meld|zet|noteer|antwoord|gebruik|schrijf|rapporteer|vermeld|vul)…"
        r"(?:totaal|totaalbedrag|bedrag|som|valuta|datum|klasse)…(?:als|op|met|in|=|:) ?«value»",
    ),
    (
        "总额 总计 总金额 合计 金额 总價 總額",
        r"(?:请|請|将|將|把|必须|应|回答|报告|报|填|设置?|输出|返回).{0,10}?(?:总额|总计|总金额|合计|金额|總額|总价)"
        r".{0,10}?(?:为|為|是|成|写成|报告为|设为|设置为|改为).{0,6}?\d",
    ),
    (
        "合計 総額 金額 請求",
        r"(?:合計|総額|金額|請求額|合計金額).{0,6}?(?:を|は).{0,20}?\d[\d,.]*.{0,6}?"
        r"(?:と(?:して)?(?:報告|回答|答え|記入|出力|入力|設定|返)|に(?:設定|変更|して))",
    ),
    (
        "합계 총액 금액",
        r"(?:합계|총액|금액).{0,6}?(?:을|를|은|는).{0,12}?\d[\d,.]*.{0,6}?"
        r"(?:로|라고) ?(?:보고|설정|답|기재|출력)",
    ),
    (
        "сумм итог",
        r"(?:укажи(?:те)?|сообщи(?:те)?|запиши(?:те)?|ответь(?:те)?|установи(?:те)?"
        r"|поставь(?:те)?|"
        r"верни(?:те)?|используй(?:те)?|напиши(?:те)?)…(?:сумм\w*|итог\w*|валют\w*"
        r"|дат\w*)…«value»",
    ),
]

CLASS_WORDS = (
    r"(?:approved|verified|trusted|safe|other|invoice|receipt|purchase[ _]order|bank["
    r" _]statement|contract"
    r"|resume|cv|tax[ _]form|id[ _]document|letter|email|memo)"
)
VALUE = (
    r"(?:(?:eur|usd|gbp|chf|jpy|cny|inr|brl|[€$£¥₹])? ?-?\d[\d.,' ]*\d(?![\d/-])|(?:eur|usd"
    r"|gbp|[€$£¥]) ?\d"
    r"|[\"'“„«][^\"'”“»\n]{1,60}[\"'”“»]|\bzero\b|\b(?:usd|eur|gbp|chf|jpy|cny|aud|cad)\b|\{)"
)
