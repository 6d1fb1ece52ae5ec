"""The closed lists by which a question is read, in the languages that the default model reads.

A word that means something else in another of these languages is in no list: no language is guessed. Languages that are
written without spaces have patterns of their own, which are looked for anywhere in a sentence.
"""

from typing import Final


def _listed(*lists: str) -> frozenset[str]:
    return frozenset(word for each in lists for word in each.split())


INTERROGATIVES: Final = _listed(
    "what whats what's who whos who's whom whose which when where where's wheres why how how's",
    "was wer wen wem wessen welche welcher welches welchen welchem wann wo woher wohin warum wieso weshalb wie"
    " womit wofür worüber wovon woran worin wozu",
    "que quoi qui quel quelle quels quelles quand où pourquoi comment combien lequel laquelle qu'est-ce est-ce",
    "qué quién quiénes cuál cuáles cuándo dónde adónde cómo cuánto cuánta cuántos cuántas",
    "che chi quale quali quando dove perché come quanto quanta quanti quante cosa cos'è qual",
    "quem quais onde quanto quantos quantas",
    "wat wie welke wanneer waar waarom hoe hoeveel",
    "co kto kogo komu który która które kiedy gdzie dlaczego jak ile czy",
    "что кто кого кому какой какая какое какие каких когда где куда откуда почему зачем как сколько чей чья чьё",
    "ne kim kime kimin hangi neden niçin nerede nereye nasıl kaç",
)
"""What a clause begins with that asks."""
WHERE: Final = _listed(
    "where where's wheres wo woher wohin où dónde adónde dove onde waar gdzie где куда откуда nerede nereye"
)
"""What of these asks for a place."""
AUXILIARIES: Final = _listed(
    "do does did is are was were am can could has have had will would shall should may might must"
    " didn't doesn't isn't aren't wasn't weren't hasn't haven't won't wouldn't can't couldn't",
    "ist sind war waren hat haben hatte hatten kann können wird werden soll sollte darf muss gibt gab",
    "est sont a-t-il a-t-elle ont était étaient",
    "es son era eran está están ha han hay fue fueron",
)
"""What a clause begins with that asks for yes or no, if it ends with a question mark."""
TELLING: Final = (
    "tell me", "remind me", "list", "name", "give me", "show me", "find", "summarize", "summarise", "describe",
    "explain", "let me know", "i want to know", "i would like to know", "i'd like to know", "i need to know",
    "sag mir", "sage mir", "nenne", "nenn mir", "zeig mir", "liste", "beschreibe", "erkläre", "gib mir",
    "dis-moi", "dites-moi", "donne-moi", "liste", "énumère", "montre-moi", "rappelle-moi",
    "dime", "dígame", "enumera", "muéstrame", "dame", "recuérdame",
    "dimmi", "elenca", "diga-me", "me diga", "liste", "vertel me", "noem", "powiedz", "wymień",
    "скажи", "расскажи", "назови", "перечисли", "напомни", "söyle", "listele",
)  # fmt: skip
"""What asks without a question mark, at the beginning of a clause."""
BEFORE: Final = _listed(
    "and or but so also then well please hey hi ok okay oh um by for in at on from to with of since until about"
    " now still again actually",
    "und oder aber also bitte auch dann in an auf von für seit bis mit über zu aus bei",
    "et ou mais alors aussi donc de à en pour avec depuis dans",
    "y o pero pues también entonces de en para con desde a por",
    "e ma allora di da con per und и или но а в на с о из для от до po do w z na",
)
"""What may stand before the word that a clause begins with: conjunctions and prepositions."""
CONJUNCTIONS: Final = (
    "and", "but", "also", "then", "plus", "und", "aber", "sowie", "et", "mais", "y", "pero", "e", "ma", "en", "maar",
    "oraz", "и", "а", "но", "ve", "ama",
)  # fmt: skip
PRONOUNS: Final = _listed(
    "he she it they him her them his hers its their theirs that this these those there one ones",
    "er sie ihr ihm ihn ihnen seine seinen seinem seiner ihre ihren ihrem ihrer dessen deren dort",
    "elle ils elles lui leur leurs",
    "él ella ellos ellas suyo suya allí eso",
    "lui lei loro suo sua suoi sue lì ele ela eles elas dele dela",
    "hij zij ze hem haar hun ona ono oni jego jej",
    "он она оно они его её ее их ему ей им там onun onlar onların",
)
"""What stands for something that was named before."""
PRONOUNS_RUN: Final = "[他她它](?:们|們)?|彼女?|그녀|그는|그의|เขา"
ASKS_RUN: Final = (
    "什么|什麼|啥|谁|誰|哪|几|幾|多少|怎|如何|为何|为什么|吗|嗎|呢|是否|多久|多大|多高|多长"
    "|何|なに|なん|だれ|どこ|いつ|どの|どれ|どう|どんな|なぜ|いくつ|いくら|ですか|ますか|でしたか|ましたか"
    "|무엇|누구|어디|언제|왜|어떻게|몇|뭐|무슨|어느|얼마|까$|나요|อะไร|ใคร|ที่ไหน|เมื่อไ|ทำไม|อย่างไร|กี่|เท่าไ|ไหม"
    "|ماذا|من هو|أين|متى|لماذا|كيف|كم|هل"
)
"""What asks, anywhere in a sentence of a language that is written without spaces, or whose lists are short."""
WHERE_RUN: Final = "哪里|哪裡|哪儿|哪兒|どこ|어디|ที่ไหน|أين"
TELLING_RUN: Final = "告诉我|告訴我|请问|請問|列出|请说|教えて|挙げて|말해|알려|บอก"
MEANING: Final = (
    "想问|想知道|想弄清楚|想搞清楚|問いたい|聞きたい|question|ask|asking|want to know|wanted to know|like to know"
    "|frage|fragen|wissen|demander|savoir|preguntar|saber|chiedere|sapere|спросить|узнать"
)
"""What leads to the question proper, before a colon."""
MANY: Final = _listed(
    "all every each list everything everyone various",
    "alle alles jede jeder jedes sämtliche liste",
    "tous toutes chaque liste",
    "todos todas cada lista",
)
TELLING_LISTS: Final = ("list", "name all", "enumerate", "liste", "nenne alle", "énumère", "enumera", "列出")
"""What asks for all, at the beginning."""
COUNTS: Final = (
    "how many", "how often", "number of", "count of", "wie viele", "wieviele", "wie oft", "anzahl der", "combien de",
    "combien d'", "nombre de", "cuántos", "cuántas", "cuantos", "cuantas", "cuántas veces", "número de", "quanti",
    "quante", "quantos", "quantas", "hoeveel", "ile razy", "сколько", "kaç",
)  # fmt: skip
_KINDS: Final = r"(?:(?:other|different|new|main|kinds? of|types? of|sorts? of) )?"
_NOT_MANY: Final = (  # what ends as a plural does, and is none
    "is|was|does|has|its|his|this|us|as|happens|becomes|causes|makes|means|helps|comes|goes|needs|gets|takes|works|runs"
    "|keeps|says|looks|leads|news|always|odds|series"
)
PLURAL_WHICH: Final = (  # "which books", "what kinds of": not "what does", "what happens", "which bus"
    rf"\b(?:which|what) {_KINDS}(?!(?:{_NOT_MANY})\b)\w{{2,}}[^\Wsui]s\b"
    rf"|\bwhat (?:are|were) (?:the|some|all) {_KINDS}\w{{2,}}[^\Wsui]s\b"
    r"|\bwhat (?:all )?have (?:we|you|they|i)\b|\bqu'est-ce qu(?:'on a|e nous avons|e j'ai)\b|\bqué (?:hemos|he|han) \w"
    r"|\bwas haben wir\b|\bwas alles\b|\bwelchen \w{3,}n\b|\bwelche \w{3,}(?:en|er)\b"
    r"|\bquel(?:le)?s \w|\bcuáles\b|\bqué \w{3,}[aeo]s\b"
)
"""What asks for several, by a noun or a word that has a plural."""
COUNTS_RUN: Final = "几个|幾個|多少个|多少個|几次|多少次|几种|多少人|几位|几人|いくつ|何人|何個|何回|몇 ?(?:개|명|번)|กี่"
MANY_RUN: Final = "所有|全部|哪些|有哪|都有|列出|全て|すべて|모든|모두|ทั้งหมด"
FIRST: Final = _listed(
    "first earliest initially erste erster erstes ersten zuerst anfangs premier première d'abord primer primero primera"
)
LAST: Final = _listed(
    "last latest newest recently letzte letzter letztes letzten zuletzt neueste dernier dernière último última"
)
SEQUENCE: Final = (
    "in which order", "in what order", "the order in which", "chronological", "sequence of", "in welcher reihenfolge",
    "reihenfolge", "dans quel ordre", "en qué orden", "in order", "orden cronológico", "timeline of",
)  # fmt: skip
FIRST_RUN: Final = "最早|首先|第一次|最初|처음"
LAST_RUN: Final = "最近一次|最后|最後|最新|마지막"
SEQUENCE_RUN: Final = "顺序|順序|先后|순서"
NEGATIONS: Final = _listed(
    "not no never without none nothing nobody neither nor cannot",
    "nicht kein keine keinen keiner nie niemals ohne niemand nichts",
    "ne pas jamais aucun aucune sans rien personne",
    "nunca jamás ningún ninguna nada nadie",
)
NEGATIONS_RUN: Final = "没有|沒有|不是|从不|从未|未曾|ない|ません|않|없"
