"""The first writer: chats and minutes. The reducer was made with these in view, so they say only that it works.

``{s}`` is the subject, ``{v}`` its value, ``{o}`` another value, ``{p}`` somebody. What begins with ``me:`` is said by
the subject.
"""

from .writing import Writer

FIRST = Writer(
    "first",
    {
        "home": (
            "{s} lives in {v}.",
            "me:I live in {v} now.",
            "me:I moved to {v} two weeks ago.",
            "By the way, {s} moved to {v} last month.",
            "{s} is based in {v} these days.",
        ),
        "employer": (
            "{s} works for {v}.",
            "me:I work at {v}.",
            "{s} joined {v} in spring.",
            "me:Since May I work for {v}.",
        ),
        "role": ("{s} works as a {v}.", "me:I'm a {v}.", "{s} is a {v}.", "me:I work as a {v}, mostly part-time."),
        "email": ("{s}'s email is {v}.", "me:My e-mail address is {v}.", "For the list: {s}'s new email is {v}."),
        "phone": ("{s}'s phone number is {v}.", "me:My phone is {v}.", "me:You can reach me, my number is {v}."),
        "birthday": ("{s}'s birthday is {v}.", "me:My birthday is on {v}.", "{s} was born on {v}."),
        "allergy": (
            "{s} is allergic to {v}.",
            "me:I'm allergic to {v}, so please keep that in mind.",
            "Note that {s} is severely allergic to {v}.",
        ),
        "hobby": ("{s} loves {v}.", "me:I really enjoy {v}.", "me:I'm a big fan of {v}.", "{s} likes {v}."),
        "pet": ("{s} has {v}.", "me:I have {v}.", "me:We got lucky: I have {v} at home."),
        "language": (
            "{s} speaks {v}.",
            "me:I speak {v}, which helps with customers.",
            "{s} teaches here and speaks {v}.",
        ),
        "owner": (
            "The {s} is owned by {v}.",
            "{v} owns the {s}.",
            "{v} is responsible for the {s}.",
            "The owner of the {s} is {v}.",
            "{v} took over the {s}.",
        ),
        "port": (
            "The {s} listens on port {v}.",
            "The {s} now runs on port {v}.",
            "We changed the port of the {s} from {o} to {v}.",
        ),
        "version": ("The {s} runs {v}.", "The {s} is on {v}.", "We upgraded the {s} to {v} yesterday."),
        "depends": ("The {s} depends on {v}.", "The {s} relies on {v}.", "The {s} needs {v} to start."),
        "uses": ("The {s} uses {v}.", "The {s} is built on {v}.", "The {s} is now using {v} for its state."),
        "host": (
            "The {s} is hosted in {v}.",
            "The {s} runs in {v}.",
            "We moved the {s} from {o} to {v}.",
            "The {s} is deployed in {v}.",
        ),
        "status": ("The {s} is {v}.", "FYI, the {s} is currently {v}.", "The {s} is now {v}, and we are on it."),
        "limit": (
            "The {s} is limited to {v}.",
            "The limit of the {s} is {v}.",
            "We raised the limit of the {s} from {o} to {v}.",
        ),
        "price": ("The {s} costs {v}.", "The price of the {s} is {v}.", "The {s} is priced at {v}."),
        "due": (
            "The {s} is due on {v}.",
            "The {s} is due by {v}.",
            "The deadline for the {s} is {v}.",
            "We pushed the {s} from {o} to {v}.",
        ),
        "start": ("The {s} starts at {v}.", "The {s} begins at {v}.", "The {s} opens at {v}."),
        "spot": ("The {s} is in {v}.", "The {s} is kept in {v}.", "The {s} is stored in {v}."),
        "keeper": ("{v} looks after the {s}.", "{v} is in charge of the {s}.", "The {s} belongs to {v}."),
    },
    {
        "lesson": ("Always {l}.", "Next time, {l}.", "Lesson learned: {l}.", "Make sure to {l}."),
        "warning": ("Never {l}.", "Don't {l}.", "You should never {l}."),
        "recovery": ("The fix was to {l}.", "What worked was to {l}.", "Fix: {l}."),
    },
    talk=(
        "Morning all.",
        "Sounds good to me.",
        "Thanks, that helps a lot.",
        "Okay, let us see.",
        "I'll have a look after lunch.",
        "Not sure yet.",
        "Could you check that again?",
        "That was a long day.",
        "Ha, good one.",
        "Back in five minutes.",
        "Let me think about it.",
        "It is what it is.",
        "Great work, everyone!",
        "No worries.",
        "See you tomorrow then.",
    ),
    traps=(
        "Does {s} know about {v}?",
        "If it were up to {p}, that would be {v}.",
        "{p} said it might be {v}.",
        "I think {p} lives in {c}.",
        "{p} doesn't live in {c}.",
        "Maybe {p} works for Globex.",
        "Ben told me that {p} moved to {c}.",
        "Is the {y} owned by {p}?",
        "The {y} does not listen on port 4444.",
        "The {y} might depend on Redis.",
        "Unless {p} objects, the {t} is due on Monday.",
        "The {t} was in the basement before.",
        "Suppose the {t} costs 10 euros.",
        '"The {t} is in room 101," somebody wrote.',
        "{p} will move to {c} in autumn.",
        "The {y} used to run in {c}.",
    ),
)
