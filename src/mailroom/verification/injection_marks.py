"""Data: how texts speak to whoever reads by machine, and marks of a talk with a model.

Format: see `injection_phrases`.
"""

# Texts that speak to the one who reads by machine, or to the one who would look at the result.
ADDRESS = [
    (
        "reviewer approver model llm chatbot chatgpt claude assistant extract classif parser"
        " automat",
        r"\b(?:notes?|messages?|attention|instructions?|hint|memo|notice|comment|directives?"
        r"|orders?|"
        r"reminder)"
        r"(?: (?:to|for))(?: (?:the|any|all|your|our))?(?: \w+)? ?(?:reviewers?|approvers?"
        r"|(?<!data )"
        r"(?:language )?models?|llms?|chatbots?|chatgpt|claude|ai|ai (?:agent|assistant|system"
        r"|reader)s?"
        r"|(?:virtual|digital) assistants?|assistants?|extractors?|classifiers?|parsers?)\b(?!"
        r" (?:no|number|year|name))",
    ),
    (
        "reviewer approver",
        r"(?:^|[\n.!?:] ?)(?:dear |to the |attention |attn:? )?(?:document |human"
        r" )?(?:reviewer|approver)s? ?:"
        r" ?(?:\w+ ){0,8}?(?:approv|accept|correct|verified|checked|ignore|skip|no )",
    ),
    (
        " ai llm language model chatgpt gpt assistant",
        r"(?:\b(?:you are|you're|act as|acting as|pretend to be|behave as|if you are|as)"
        r" (?:now )?(?:an? |the )?"
        r"(?:helpful |automated |artificial )?(?:ai\b|llm|language model|large language model"
        r"|chatbot|"
        r"chatgpt|gpt|assistant that|document (?:parser|extractor|classifier)|ai (?:model"
        r"|assistant))"
        r"|(?:dear|hey|hello|hi|attention) (?:ai\b|llms?|language model|chatgpt|gpt|ai"
        r" (?:model|assistant)))",
    ),
    (
        "from now on new task treat value end of document",
        r"\bfrom now on,? you\b|\bnew task ?:|\btreat (?:the )?(?:value|amount|number) \S+"
        r" as (?:the )?(?:grand )?total|\bend of document[.:] ?(?:new|now|your)\b",
    ),
    (
        "escrib scriv escrev ecri schreib schrijf",
        r"\b(?:escrib[ea]|scriv[ei]|escreva|ecri[st]|ecrivez|schreib\w*|schrijf) (?:\S+ )?"
        r"\d[\d.,]* ?\S{0,4} (?:como|come|comme|als) (?:\w+ )?(?:total\w*|importe|importo|summe)",
    ),
    (
        "confidence",
        r"\b(?:set |report |give |with |your |the )?confidence(?: score| level)?(?: (?:of|is"
        r"|to|as|at|=|:)"
        r"| ?[=:])+ ?(?:1[.,]0+\b|100 ?%|maximum\b|0[.,]99)",
    ),
    (
        "review approv check verif escalat flag",
        r"\b(?:no|without|skip|bypass|avoid|omit)(?: any| further| the| need for| additional)*"
        r" (?:human|"
        r"manual)? ?(?:review|verification|check) (?:is |are )?(?:needed|required|necessary"
        r"|step|queue)"
        r"|\b(?:skip|bypass|avoid) (?:the |any |all )?(?:human |manual )(?:review|approval"
        r"|checks?|"
        r"verification)|\bdoes not (?:need|require) (?:a |any )?(?:human |manual )?review\b"
        r"|\bauto-? ?approve[ds]?\b|\bpre-? ?approved by (?:the )?(?:reviewer|system|ai)\b"
        r"|\bdo not (?:flag|escalate|send|route|forward) (?:this|it|the)(?: \w+){0,3}? ?(?:to"
        r"|for|as)"
        r" (?:a |the |human |manual |any )*(?:review|person|human|error|suspicious|fraud)",
    ),
    (
        "approve accept",
        r"¶(?:approve|accept) (?:this|the|it)(?: \w+)? (?:automatically|immediately|without)",
    ),
    (
        "system prompt system message developer message jailbreak",
        r"\b(?:the|your|this|new|my|updated|reveal|print|above)(?: \w+)? (?:system prompt"
        r"|system message|"
        r"developer message)|\bjailbreak\b|\bnew system (?:prompt|message|instructions?)\b",
    ),
    (
        "prufer freigeber ki- ki assistent sprachmodell keine prufung ohne prufung prufung",
        r"\b(?:hinweis|notiz|nachricht|anweisung|anmerkung|achtung)(?: an| fur)(?: den| die|"
        r" das| alle)? "
        r"(?:prufer\w*|freigeber\w*|ki\b|ki-\w+|ki assistent\w*|sprachmodell\w*|assistenten?"
        r"|modell|"
        r"sachbearbeiter-ki)|\b(?:keine|ohne) (?:weitere |manuelle |menschliche )*(?:prufung"
        r"|kontrolle)"
        r"(?: ist)? (?:notig|erforderlich|notwendig)|\bautomatisch (?:freigeben|genehmigen)\b",
    ),
    (
        "verificateur relecteur valideur modele assistant intelligence artificielle"
        " verification controle",
        r"\b(?:note|message|instruction|consigne|remarque|attention)s?(?: au| aux| a l'| pour"
        r" le| pour l'|"
        r" pour les| a la) ?(?:verificateurs?|relecteurs?|valideurs?|approbateurs?|assistants?"
        r"|ia\b|"
        r"intelligence artificielle|modele)|\baucune? (?:verification|revision|controle"
        r"|relecture)"
        r"(?: humaine?| manuelle?| supplementaire)?(?: n'est)? (?:necessaire|requise?)"
        r"|\bapprouve[zr]? automatiquement\b",
    ),
    (
        "revisor aprobador asistente modelo inteligencia artificial revision",
        r"\b(?:nota|mensaje|instruccion|aviso|atencion)(?:es)?(?: al| a la| para el| para la|"
        r" para los) "
        r"(?:revisor\w*|aprobador\w*|asistente\w*|ia\b|inteligencia artificial|modelo)"
        r"|\bno (?:se )?(?:requiere|necesita)(?: una| ninguna)? revision(?: humana| manual)?\b"
        r"|\baprob(?:ar|ado|ada|e) automaticamente\b",
    ),
    (
        "revisore approvatore assistente modello intelligenza artificiale revisione verifica",
        r"\b(?:nota|messaggio|istruzion[ei]|avviso|attenzione)(?: al| alla| per il| per l'|"
        r" all'| per la) ?"
        r"(?:revisore|approvatore|verificatore|assistente|ia\b|intelligenza artificiale|modello)"
        r"|\bnessuna (?:revisione|verifica)(?: umana| manuale)?(?: e)? (?:necessaria|richiesta)"
        r"|\bapprova(?:re|to|ta)? automaticamente\b",
    ),
    (
        "revisor aprovador assistente modelo inteligencia artificial revisao",
        r"\b(?:nota|mensagem|instruc(?:ao|oes)|aviso|atencao)(?: ao| a| para o| para a) "
        r"(?:revisor\w*|aprovador\w*|assistente|ia\b|inteligencia artificial|modelo)"
        r"|\bnao (?:e )?(?:necessaria|requer|precisa de)(?: nenhuma)? (?:revisao|verificacao)"
        r"|\bnenhuma revisao (?:e )?necessaria|\baprov(?:ar|ado|ada|e) automaticamente\b",
    ),
    (
        "beoordelaar controleur assistent taalmodel controle",
        r"\b(?:opmerking|notitie|bericht|instructie|aandacht|let op)(?: aan| voor)(?: de| het)? "
        r"(?:beoordelaar\w*|controleur\w*|goedkeurder\w*|ai\b|ai-\w+|assistent|taalmodel|model)"
        r"|\bgeen (?:verdere |handmatige |menselijke )*(?:controle|beoordeling)(?: is)?"
        r" (?:nodig|vereist)"
        r"|\bautomatisch goedkeuren\b",
    ),
    (
        "审核 審核 审批 人工 助手 模型",
        r"(?:致|给|給|告)(?:审核|審核|审批|复核)(?:员|人员|者)|(?:人工智能|ai|大模型|语言模型|模型|助手).{0,4}(?:注意|请|必须|应)"
        r"|(?:无需|無需|不需要|不用|跳过).{0,4}(?:人工)?(?:审核|審核|复核|审查|检查)|你(?:现在)?是(?:一个)?.{0,4}(?:ai|人工智能"
        r"|助手|模型)",
    ),
    (
        "承認者 確認者 レビュ 人工知能 アシスタント モデル 審査",
        r"(?:レビュー担当者?|レビュアー|承認者|確認者|審査(?:担当)?者|aiアシスタント|アシスタント|言語モデル|aiモデル)(?:へ|の方へ|への)"
        r"|(?:レビュー|審査|人(?:間)?による確認).{0,4}(?:不要|必要ありません|必要なし|省略)|自動(?:的に)?承認(?:して|せよ|済)"
        r"|あなたは.{0,6}(?:ai|アシスタント|モデル)",
    ),
    (
        "검토자 승인자 인공지능",
        r"(?:검토자|승인자|인공지능|언어 ?모델)(?:에게|님께)|검토(?:가)? ?(?:불필요|필요 ?없)",
    ),
    (
        "проверяющ рецензент модел ассистент провер искусствен",
        r"(?:примечани\w*|сообщени\w*|заметк\w*|внимани\w*|инструкци\w*|указани\w*) (?:для )?"
        r"(?:проверяющ\w*|рецензент\w*|модели|ассистент\w*|нейросет\w*|ии\b|искусственн\w*"
        r" интеллект\w*)"
        r"|проверк\w* (?:человеком )?не (?:требуется|нужна)|(?:ты|вы) (?:теперь )?(?:ии"
        r"|ассистент|языковая модель)",
    ),
]

# Marks of a conversation with a model, and of its tools: nothing that business writes.
MARKS = [
    ("<|", r"<\|[\w ]{2,24}\|?>"),
    (
        "[inst] [/inst] <<sys>> [system] [/system] [assistant]",
        r"\[/?(?:inst|system|assistant)\]|<</?sys>>",
    ),
    (
        "</ <doc <sys <tool <func <inst <inv <ass <missing <page",
        r"</ ?(?:document|page|text|forms|system|instructions?|user|assistant|human|data"
        r"|context|answer|"
        r"prompt|untrusted|input)[-\w]* ?>|<(?:document-|system|instructions?|assistant|tool"
        r"|function|"
        r"invoke|antml|answer>|prompt|missing pages|page number)[^<>\n]{0,80}>|</ ?(?:tool"
        r"|function|invoke|antml)",
    ),
    (
        'tool_ tooluse toolresult tool use function_c tool_calls stop_reason stopreason "input"'
        ' "arguments"',
        r"\btool_?(?:use|result|calls?|choice)(?:id)?\b[\"'>:\]]|<tool|\"(?:tool_?use"
        r"|tool_?result|stop_?reason|"
        r"function_?call|tool_?calls)|[\"']?name[\"']? ?: ?[\"'][\w-]+[\"'] ?, ?[\"']?(?:input"
        r"|arguments|"
        r"parameters)[\"']? ?:|\b(?:tool|function)(?: call)? result(?: for)? ?[:(=]",
    ),
    (
        "system: assistant: user: human: developer: system : ### ai:",
        r"(?:^|[\n.!?>] ?)(?:#+ ?)?(?:system|assistant|user|human|developer|ai) ?: ?(?:you"
        r"|please|now|i |ignore|"
        r"disregard|set|report|return|respond|the (?:total|correct|document|class|invoice"
        r"|answer|amount|"
        r"user)|approve|output|override|new |this (?:document|invoice|is)|all |from now|sure"
        r"|here|okay|"
        r"understood|done|\{)|(?:^|\n)#{2,} ?(?:system|instructions?|assistant|user)\b(?: ?:|"
        r" ?\n)",
    ),
]
