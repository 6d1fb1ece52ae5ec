"""The third writer: letters, reports of incidents, and talk that was written down. No wording was chosen for it.

It wrote when the reducer was done. What was mended after its first try, two mistakes of which it has, showed in the
talk of real people (docs/digestion.md). As for ``first``.
"""

from .writing import Writer

THIRD = Writer(
    "third",
    {
        "home": (
            "Dear all, as some of you have heard already, I moved to {v} in the first week of the month.",
            "me:Greetings from {v}, where I live now with far too many boxes.",
            "The parcel for {s} came back, since {s} lives in {v} now and the form still has the old street.",
            "me:I've been living in {v} for about half a year.",
        ),
        "employer": (
            "The speaker this time is {s}, who works for {v} and knows the subject inside out.",
            "me:I have been with {v} for six years.",
            "me:By day I work for {v}, by night I mend bicycles.",
            "{s} has joined {v}, and the farewell card is on my table.",
        ),
        "role": (
            "For the minutes: {s} is a {v} and attended as a guest.",
            "me:I'm a {v} by training, so bear with me on the paperwork.",
            "Our new neighbour {s} works as a {v} at the hospital across the street.",
            "me:My job? I'm a {v}.",
        ),
        "email": (
            "Please send the signed form to {s} at {v}, not to the shared inbox.",
            "me:My new email address is {v}; the other one is gone.",
            "{s}'s email address is {v}, in case you lost the signature.",
        ),
        "phone": (
            "In urgent cases call {s} at {v}.",
            "me:My number is {v}, the one on the flyer is a misprint.",
            "{s}'s phone number is {v}.",
            "{s} can be called under {v} after six.",
        ),
        "birthday": (
            "{s}'s birthday is {v}, let's not miss it again.",
            "me:My birthday is {v}, but I never celebrate.",
            "{s} celebrates on {v}, as every year.",
        ),
        "allergy": (
            "The camp doctor should know that {s} is allergic to {v}.",
            "me:I'm allergic to {v}, which took three doctors to find out.",
            "me:Anything with {v} makes my face swell.",
        ),
        "hobby": (
            "me:I enjoy {v} when there is time, which there never is.",
            "{s} loves {v} and will tell you so within five minutes.",
            "me:My great passion is {v}.",
            "For {s}, nothing beats {v}.",
        ),
        "pet": (
            "Whoever house-sits should be aware that {s} has {v}.",
            "me:I have {v}, and the vet knows me by my first name.",
            "me:At home {v} are waiting for me.",
        ),
        "language": (
            "We can send {s}, since {s} speaks {v}.",
            "me:I speak {v} fluently.",
            "me:I grew up with {v} at the kitchen table.",
            "{s} also speaks {v}, to everybody's surprise.",
        ),
        "owner": (
            "Report: the {s} is maintained by {v}, who was informed at once.",
            "{v} is responsible for the {s} and signs off on every change.",
            "The handover is complete, so {v} owns the {s} from here on.",
            "Responsible for the {s}: {v}.",
            "{v} is the person to talk to about the {s}.",
        ),
        "port": (
            "Finding 3: the {s} listens on port {v} without encryption.",
            "During the test the {s} was running on port {v}, as documented.",
            "According to the config, and I checked it myself, the {s} listens on port {v}.",
            "The {s} uses port {v}.",
        ),
        "version": (
            "The {s} runs {v} at the moment.",
            "On Tuesday the team upgraded the {s} to {v} and wrote down every step.",
            "Finding 7: the {s} is on {v}, and there are patches missing.",
        ),
        "depends": (
            "The outage spread because the {s} depends on {v}.",
            "The {s} requires {v}, a fact that the plan left out.",
            "Without {v} the {s} is dead in the water.",
            "Our analysis shows that the {s} relies on {v} at startup.",
        ),
        "uses": (
            "According to the authors the {s} is built with {v}.",
            "The {s} uses {v}, like most things in that building.",
            "As the second diagram shows, the {s} uses {v} to keep track of jobs.",
            "Inside the {s} there is a copy of {v} doing the work.",
        ),
        "host": (
            "The {s} is located in {v}, in a room without windows.",
            "Since the fire the {s} has been hosted in {v}.",
            "The {s} was moved to {v} after the audit.",
            "Machines of the {s} stand in {v}.",
        ),
        "status": (
            "Update 14:05: the {s} is {v}, the cause is unknown.",
            "At the time of writing the {s} is still {v}.",
            "Our apologies to everyone: the {s} is {v} today.",
            "Customers report the {s} as {v}.",
        ),
        "limit": (
            "Note for integrators: the {s} accepts up to {v}.",
            "The limit for the {s} is {v}, and it is enforced.",
            "The {s} is capped at {v} until further notice.",
            "The {s} stops serving at {v}.",
        ),
        "price": (
            "According to the invoice the {s} costs {v}.",
            "The {s} cost us {v} in the end.",
            "The price for the {s} is {v}, shipping not included.",
            "We paid {v} for the {s}.",
        ),
        "due": (
            "A reminder that the {s} is due on {v}.",
            "The board expects the {s} by {v}.",
            "The {s} must be ready by {v}, whatever happens.",
            "Deadline for the {s}: {v}.",
            "The {s} was postponed to {v} on request of the auditors.",
        ),
        "start": (
            "The {s} starts at {v} in the large hall.",
            "Doors open for the {s} at {v}.",
            "The {s} kicks off at {v}, please bring your own cup.",
        ),
        "spot": (
            "For those who asked, the {s} is stored in {v} next to the fuse box.",
            "The {s} is in {v}.",
            "We found the {s} in {v}.",
            "The {s} can be found in {v}, as the note on the door says.",
        ),
        "keeper": (
            "{v} takes care of the {s} as long as the office is closed.",
            "{v} is in charge of the {s} this year.",
            "The {s} is looked after by {v}.",
            "Thanks go to {v} for organising the {s}.",
        ),
    },
    {
        "lesson": (
            "Recommendation: always {l}.",
            "For the next incident we recommend to {l}.",
            "Make sure to {l}, the checklist says so for a reason.",
            "We should {l}, that is what this taught us.",
        ),
        "warning": (
            "Never {l}, not even in a test.",
            "Under no circumstances should anybody {l}.",
            "Please do not {l}.",
        ),
        "recovery": (
            "The problem was solved after we decided to {l}.",
            "The solution was to {l}.",
            "What worked in the end was to {l}.",
            "{g} solved the problem.",
        ),
    },
    talk=(
        "Many thanks for the warm welcome.",
        "I hope this letter finds you well.",
        "Please find the pictures attached.",
        "It rained all weekend, so we stayed in and read.",
        "The call ended without any result.",
        "With kind regards from all of us.",
        "Let me know what you think of it.",
        "We had a lovely evening, thanks again.",
        "I have been meaning to write for weeks.",
        "Everybody laughed, and that was that.",
        "The rest can wait.",
        "There is not much to add to this.",
        "Half of the group was on holiday.",
        "Sorry for the long silence.",
        "Our thoughts are with everyone on call tonight.",
        "The minutes of the last meeting were accepted.",
    ),
    traps=(
        "We were wondering whether {p} still lives in {c}.",
        "Has {p} really joined Globex?",
        "The rumour that the {y} is owned by {p} is not true.",
        "It would be wise if the {y} ran in {c}.",
        "A customer claims that the {t} costs 10 euros.",
        "The {y} should never have been on port 4444.",
        "The {t} was in room 101 until somebody took it.",
        "{p} hopes to move to {c} one day.",
        "In the first draft the {t} was due on Monday.",
        "Nobody knows whether {p} speaks Dutch.",
        "The {y} might be down, we are not sure.",
        'One of the slides says "the {y} depends on Redis".',
        "{p} might be allergic to nuts, please ask.",
        "If the {t} starts at 07:00 I will stay in bed.",
        "{p} does not look after the {t} any more.",
        "Supposedly {p} has eleven cats.",
    ),
)
