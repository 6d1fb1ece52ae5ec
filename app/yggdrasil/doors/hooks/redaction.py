"""What is never recorded: values of variables, and whatever looks like a credential.

Simple rules, said in docs/doors/hooks.md, each of which takes time linear in the text. They take too much rather than
too little, and no rule finds every secret: what is private to a project belongs in files that an agent does not read.
"""

import re
from typing import Final

HIDDEN: Final = "[redacted]"
TEXT_CHARS_MAX: Final = 1_000
READ_CHARS_MAX: Final = 200_000

_SECRET: Final = (
    r"(?:token|secret|passw(?:or)?d|passwd|passphrase|api[_-]?key|access[_-]?key|private[_-]?key|account[_-]?key|"
    r"credential|authorization|cookie|connection[_-]?string|dsn)"
)
# A run of letters with such a word in it, from its beginning: looked at once, and not from each of its letters.
_NAME: Final = rf"(?<![\w.-])(?=[\w.-]*?{_SECRET})[\w.-]+"
_OPTION: Final = rf"(?<![\w.-])--?(?:(?=[\w.-]*?{_SECRET})[\w.-]+|(?:key|store)?pass(?:in|out)?|pwd)"
# What is given: up to a blank, with what is quoted in it; a quotation within one has a stroke before its marks. What is
# looked ahead at is taken as a whole, and read in no other way (as an atomic group, which Python has from 3.11 on).
_GIVEN: Final = (
    r"(?!\[redacted)(?=(?P<given>\\\"[^\"\n]*\"|"
    r"(?:\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|\\.|[^\s,;}]|,(?=[^\s\"'{}]))+))(?P=given)"
)
_WORD: Final = r"(?!\[redacted)(?=(?P<word>(?:\"(?:[^\"\\]|\\.)*\"|'[^']*'|\\[^\n]|\S)+))(?P=word)"
_RULES: Final = tuple(
    (re.compile(pattern, flags), said)
    for pattern, flags, said in (
        (r"----[- ]BEGIN [A-Z0-9 ]{0,40}(?:PRIVATE KEY(?: BLOCK)?|CERTIFICATE|SECRET KEY)[A-Z ]{0,10}----.*?"
         r"(?:----[- ]END [A-Z0-9 ]{1,60}-{4,5}|\Z)", re.DOTALL, HIDDEN),
        (rf"(?i)({_NAME}[\"']?[ \t]*:[ \t]*[|>][-+0-9]{{0,2}}[ \t]*\n)(?:[ \t]+\S[^\n]*(?:\n|\Z))+", 0,
         rf"\1{HIDDEN}\n"),
        (rf"(?i)({_NAME}\\?[\"']?\]?\s*(?::=|=>|\+=|=|:)\s*){_GIVEN}", 0, rf"\1{HIDDEN}"),
        (r"(?i)(\b(?:proxy-)?authorization[\"']?\s{0,8}[:=]\s{0,8})(?:\"[^\"\n]*\"|'[^'\n]*'|[^\"'\n]+)", 0,
         rf"\1{HIDDEN}"),
        (r"\b((?i:bearer|basic))\s+(?!\[redacted)(?=\S{0,200}(?:[0-9=]|[a-z][A-Z]))[\w.~+/=-]{8,}", 0, rf"\1 {HIDDEN}"),
        # What shells are told: NAME=value before a command, export NAME=value, set -gx NAME value, $env:NAME = value.
        (r"(^|[\s;&|(`'\"])([A-Za-z_]\w*\+?)=(?!=)"
         r"(?=(?P<word>(?:\"(?:[^\"\\]|\\.)*\"|'[^']*'|\\[^\n]|[^\s;&|)`'\"])+))(?P=word)", re.MULTILINE,
         rf"\1\2={HIDDEN}"),
        (r"(^|[\s;&|(`])((?:set(?:[ \t]+--?[A-Za-z]+)+|setenv|setx)[ \t]+[A-Za-z_]\w*[ \t]+)[^\s;&|][^;&|\n]*",
         re.MULTILINE, rf"\1\2{HIDDEN}"),
        (rf"(?i)(\$\{{?env:\w+\}}?[ \t]*\+?=[ \t]*){_WORD}", 0, rf"\1{HIDDEN}"),
        (r"(?i)(SetEnvironmentVariable\(\s*[\"']\w+[\"']\s*,\s*)(?:\"[^\"]*\"|'[^']*')", 0, rf"\1{HIDDEN}"),
        (rf"(?i)(\bset[ \t]+(?=\S{{0,80}}?{_SECRET})\S+[ \t]+){_WORD}", 0, rf"\1{HIDDEN}"),
        (r"(--from-literal[ =][^\s=]+=)(\"[^\"]*\"|'[^']*'|\S+)", 0, rf"\1{HIDDEN}"),
        (r"(?i)(\b(?:identified\s{1,8}(?:with\s{1,8}\S{1,64}\s{1,8})?(?:by|as)(?:\s{1,8}password)?|password)\s{1,8})"
         r"(?:'(?:[^'\n]|'')*'|\"(?:[^\"\n]|\"\")*\")", 0,
         rf"\1{HIDDEN}"),
        (r"(?i)(\bpass(?:word|phrase|code)\s{1,8}(?:is|was)\s{0,8}(?::\s{0,8}|\s(?=[\"'`]|\S{0,80}\d)))\S+", 0,
         rf"\1{HIDDEN}"),
        (rf"(<<<[ \t]*){_WORD}", 0, rf"\1{HIDDEN}"),
        # What is said to a program that asks for a password.
        (r"\b(echo|printf)\s[^|\n]{1,300}(?=\|[^|\n]{0,200}(?:password-stdin|sudo\s+-\w{0,9}S|passwd\b|login\b))", 0,
         rf"\1 {HIDDEN} "),
        (rf"(?i)({_OPTION}(?:\s+|=)){_WORD}", 0, rf"\1{HIDDEN}"),
        (r"(?i)(?<![a-z0-9+.-])([a-z][a-z0-9+.-]{0,30}://)[^\s/@:]*:[^\s/]+@", 0, rf"\1{HIDDEN}@"),
        (r"(?i)(https?://)[^\s/@:]{8,}@", 0, rf"\1{HIDDEN}@"),
        (r"(?i)(\s(?:(?:-[a-z]{0,8}u|--user|--proxy-user)(?:\s+|=)|-u))(\"[^\"]*\"|'[^']*'|[^\s:]+:\S+)", 0,
         rf"\1{HIDDEN}"),
        # .netrc, and what is asked of an address.
        (r"(?im)((?:\b(?:login|machine|account)[ \t]+\S+\s{1,8}|^[ \t]*)password[ \t]+)\S+", 0, rf"\1{HIDDEN}"),
        (r"(?i)([?&](?:[\w.-]{0,40}(?:key|sig|signature|code|auth|pass|pwd|token)|sv|se)=)[^\s&\"'#]+", 0,
         rf"\1{HIDDEN}"),
        # Addresses that are secrets themselves.
        (r"(?i)(https?://[\w.-]{0,80}(?:hooks\.slack|discord(?:app)?|webhook\.office|logic\.azure|hooks\.zapier|make|"
         r"ifttt|googleapis|pipedream)\.(?:com|net)(?::\d{1,5})?/)"
         r"(?=\S{0,60}(?:services|webhook|workflows|triggers?|hooks|catch|spaces|with))\S+", 0, rf"\1{HIDDEN}"),
        (r"(?i)(https?://hook\.[\w.-]{1,40}\.make\.com/)\S+", 0, rf"\1{HIDDEN}"),
        (r"(?i)(https?://[^\s/\"']{1,253}/(?:[\w.-]{1,40}/){0,4}(?:web)?hooks?/)[^\s\"'<>]{12,}", 0, rf"\1{HIDDEN}"),
        (r"\b(bot)\d{6,12}:[\w-]{30,}", 0, rf"\1{HIDDEN}"),
        # What providers mark as theirs.
        (r"(?<![\w-])(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abeoprs]|npm|hf|hv[sb]|pypi|dop_v1|shpat|"
         r"ya29|whsec|SG|AGE-SECRET-KEY)[-_.][\w-]{10,}(?:\.[\w-]+)*", 0, HIDDEN),
        (r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[\w-]{30,}", 0, HIDDEN),
        (r"(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?", 0, HIDDEN),
        # Long and of all kinds of letters, or long and hexadecimal; a commit's id has forty digits, and stays.
        (r"(?<![\w/.+-])(?=[\w+/-]*[a-z])(?=[\w+/-]*[A-Z])(?=[\w+/-]*[0-9])[\w+-]{32,}={0,2}(?![\w/]|\.\w)", 0, HIDDEN),
        (r"(?<![\w/.+-])(?=[\w+/]*[a-z])(?=[\w+/]*[A-Z])(?=[\w+/]*[0-9])(?=\w+/)[\w+/]{40}(?![\w/+-]|\.\w)", 0, HIDDEN),
        (r"\b[0-9a-fA-F]{48,}\b", 0, HIDDEN),
    )
)  # fmt: skip
# A key whose beginning is not there: all before its end is taken for it.
_HEADLESS: Final = re.compile(r"\A.*----[- ]END [A-Z0-9 ]{0,40}(?:PRIVATE|SECRET) KEY[A-Z ]{0,10}-{4,5}", re.DOTALL)
# Programs by the option that takes a password of theirs: to others it is a port, a path or a project.
# A command of a line, with what is quoted in it, and with the line after one that ends in a stroke.
_PART: Final = re.compile(r"(?=(?P<part>(?:\\[\s\S]|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|[^;&|\n])+))(?P=part)")
_TOLD: Final = tuple(
    (re.compile(rf"{pattern}(?:\.exe)?(?![\w.-])"), re.compile(option), said)
    for pattern, option, said in (
        (r"(?<![\w.-])(?:mysql\w*|mariadb[\w-]*|mongo\w*|sshpass|smbpasswd|7z[arz]?|unrar|rar|docker\s+login)",
         rf"(\s-p[ =]?)(?!-){_WORD}", rf"\1{HIDDEN}"),
        (r"(?<![\w.-])(?:svn|login|az|oc|cf|ldapadd|ldapmodify|cqlsh|twine|rabbitmqadmin|ncftp\w*)",
         rf"(\s-p[ =])(?!-){_WORD}", rf"\1{HIDDEN}"),
        (r"(?<![\w.-])(?:redis-cli|https?|keydb-cli|valkey-cli)",
         rf"(\s-a[ =]?)(?!-){_WORD}", rf"\1{HIDDEN}"),
        (r"(?<![\w.-])ldap(?:search|add|modify|delete|passwd|whoami|compare)",
         rf"(\s-[wy][ =]?)(?!-){_WORD}", rf"\1{HIDDEN}"),
        (r"(?<![\w.-])(?:sqlcmd|bcp|isql|mosquitto_(?:pub|sub|rr)|zip|unzip|nats|kinit)",
         rf"(\s-P[ =]?)(?!-){_WORD}", rf"\1{HIDDEN}"),
        (r"(?<![\w.-])openssl", r"(\s(?:-k|-K|-passin|-passout)\s+)(\"[^\"]*\"|'[^']*'|(?!\[redacted)\S+)",
         rf"\1{HIDDEN}"),
        (r"(?<![\w.-])htpasswd", r"(\s-(?=\w*b)\w+(?:\s+-\w+)*\s+(?:\S+\s+){1,2})(\S+)", rf"\1{HIDDEN}"),
        (r"(?<![\w.-])(?:plink|pscp|psftp)", r"(\s-pw[ =])(\S+)", rf"\1{HIDDEN}"),
        (r"(?<![\w.-])ssh-keygen", r"(\s-[NP][ =]?)(\"[^\"]*\"|'[^']*'|\S+)", rf"\1{HIDDEN}"),
        (r"(?<![\w.-])(?:mysqladmin|nmcli)", r"(\spassword\s+)(\S+)", rf"\1{HIDDEN}"),
        (r"(?<![\w.-])vault\s+login", r"(\s)([^\s-][^\s=]*)(?=\s|$)", rf"\1{HIDDEN}"),
        (r"(?<![\w.-])lftp", r"(\s-u[ =]?)([^\s,]+,\S+)", rf"\1{HIDDEN}"),
        (r"(?<![\w.-])smbclient", r"(\s-U[ =]?)([^\s%]+%\S+)", rf"\1{HIDDEN}"),
    )
)  # fmt: skip
_PRIVATE_ENDS: Final = (
    ".pem", ".key", ".p12", ".pfx", ".keystore", ".jks", ".kdbx", ".asc", ".ppk", ".ovpn", ".gpg", ".age",
)  # fmt: skip
_PRIVATE_NAMES: Final = frozenset(
    [".env", ".envrc", "envrc", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", ".netrc", "_netrc", ".npmrc", ".pypirc",
     ".htpasswd", ".pgpass", ".my.cnf", ".git-credentials", ".dockercfg"]
)  # fmt: skip
_PRIVATE_WORDS: Final = ("credential", "secret")
# What nobody sees, and controls; tabs and line ends stay.
_UNSEEN: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]+")


def clean(text: str, chars_max: int = TEXT_CHARS_MAX) -> str:
    """Return ``text`` without secrets and what nobody sees, cut with an ellipsis."""
    found = _UNSEEN.sub(" ", text[:READ_CHARS_MAX])
    for rule, said in _RULES:
        found = rule.sub(said, found)
    found = _HEADLESS.sub(HIDDEN, found)
    found = _PART.sub(lambda part: _told(part[0]), found).strip()
    return found if len(found) <= chars_max else found[: chars_max - 1].rstrip() + "…"


def is_private(path: str) -> bool:
    """Whether nothing of a file but its name may be recorded."""
    name = path.rsplit("/", 1)[-1].lower()
    return (
        name in _PRIVATE_NAMES
        or name.startswith(".env.")
        or name.endswith(_PRIVATE_ENDS)
        or any(word in name for word in _PRIVATE_WORDS)
    )


def _told(part: str) -> str:
    """Return one command of a line without the password that its program is told."""
    for program, option, said in _TOLD:
        found = program.search(part)
        if found:
            part = part[: found.end()] + option.sub(said, part[found.end() :])
    return part
