"""What is never recorded: values of variables, and whatever looks like a credential.

Simple rules, said in docs/doors/hooks.md. They take too much rather than too little, and no rule finds every secret:
what is private to a project belongs in files that an agent does not read.
"""

import re
from typing import Final

HIDDEN: Final = "[redacted]"
TEXT_CHARS_MAX: Final = 1_000
_READ_CHARS_MAX: Final = 20_000  # of a text that is looked through: a rule may take time that grows with its length

_SECRET: Final = (
    r"(?:[\w.-]*(?:token|secret|passw(?:or)?d|passwd|passphrase|api[_-]?key|access[_-]?key|private[_-]?key|"
    r"credential|authorization|cookie|connection[_-]?string|dsn)[\w.-]*)"
)
_RULES: Final = tuple(
    (re.compile(pattern, flags), said)
    for pattern, flags, said in (
        (r"-----BEGIN [A-Z ]*(?:PRIVATE KEY|CERTIFICATE)-----.*?(?:-----END [A-Z ]+-----|\Z)", re.DOTALL, HIDDEN),
        (r"(?i)\b(bearer|basic)\s+(?!\[redacted)[\w.~+/=-]{8,}", 0, rf"\1 {HIDDEN}"),
        # What shells are told: NAME=value before a command, export NAME=value, set -x NAME value.
        (r"(^|[\s;&|(`'\"])([A-Za-z_]\w*)=(?!=)(\"[^\"]*\"|'[^']*'|[^\s;&|)`'\"]+)", re.MULTILINE, rf"\1\2={HIDDEN}"),
        (rf"(?i)([\"']?{_SECRET}[\"']?\s*(?::=|=>|=|:)\s*)(\"[^\"\n]*\"|'[^'\n]*'|(?!\[redacted)[^\s,;}}]+)", 0,
         rf"\1{HIDDEN}"),
        (rf"(?i)(--?{_SECRET}(?:\s+|=))(\"[^\"]*\"|'[^']*'|(?!\[redacted)\S+)", 0, rf"\1{HIDDEN}"),
        (r"\b([a-z][a-z0-9+.-]*://)[^\s/@:]*:[^\s/@]+@", re.IGNORECASE, rf"\1{HIDDEN}@"),
        (r"(?i)(\s(?:-u|--user)[\s=]+)(\"[^\"]*\"|'[^']*'|\S+:\S+)", 0, rf"\1{HIDDEN}"),
        # What providers mark as theirs.
        (r"\b(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abeoprs]|npm|hf|pypi|dop_v1|shpat|ya29)"
         r"[-_.][\w-]{10,}[\w.-]*", 0, HIDDEN),
        (r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[\w-]{30,}", 0, HIDDEN),
        (r"\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?", 0, HIDDEN),
        # Long and of all kinds of letters, or long and hexadecimal; a commit's id has forty digits, and stays.
        (r"(?<![\w/.+-])(?=[\w+/=-]*[a-z])(?=[\w+/=-]*[A-Z])(?=[\w+/=-]*[0-9])[\w+=-]{32,}(?![\w/.])", 0, HIDDEN),
        (r"\b[0-9a-fA-F]{48,}\b", 0, HIDDEN),
    )
)  # fmt: skip
_PRIVATE_FILE: Final = re.compile(
    r"(?i)(?:^|/)(?:\.env(?:\.[\w.-]+)?|\.?envrc|.*\.(?:pem|key|p12|pfx|keystore|jks|kdbx|asc)|id_(?:rsa|dsa|ecdsa|"
    r"ed25519)|\.netrc|\.npmrc|\.pypirc|\.htpasswd|[\w.-]*(?:credential|secret)s?[\w.-]*)$"
)
# What nobody sees, and controls; tabs and line ends stay.
_UNSEEN: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]+")


def clean(text: str, chars_max: int = TEXT_CHARS_MAX) -> str:
    """Return ``text`` without secrets and what nobody sees, cut with an ellipsis."""
    found = _UNSEEN.sub(" ", text[:_READ_CHARS_MAX])
    for rule, said in _RULES:
        found = rule.sub(said, found)
    found = found.strip()
    return found if len(found) <= chars_max else found[: chars_max - 1].rstrip() + "…"


def is_private(path: str) -> bool:
    """Whether nothing of a file but its name may be recorded."""
    return _PRIVATE_FILE.search(path) is not None
