"""The second writer: long sentences in a chat, tickets, notes of stand-ups. It wrote when the reducer was made.

No wording of the reducer was chosen for what stands here: what it cannot read stays as it is. As for ``first``.
"""

from .writing import Writer

SECOND = Writer(
    "second",
    {
        "home": (
            "So, funny story, it turns out {s}, whom I met at the fair, lives in {v} and commutes twice a week.",
            "me:After years of hesitating I packed my boxes and moved to {v}, which my parents still find strange.",
            "me:I'm calling {v} home now, if you can believe it.",
            "Just so everybody has it: {s} is living in {v}, so mind the time zone when you book calls.",
            "me:Since the kids changed schools I live in {v} and honestly the commute is shorter.",
        ),
        "employer": (
            "{s}, who you may remember from the workshop, works for {v} and brought doughnuts.",
            "me:Small update from my side: I started at {v} and the people are lovely.",
            "Standup - {s}: onboarding finished, officially employed at {v}.",
            "me:For what it's worth, I work at {v}, so I have seen their contracts before.",
        ),
        "role": (
            "{s} works as a {v}, although the badge says something else entirely.",
            "me:I earn my bread as a {v}.",
            "me:As you know I'm a {v}, and numbers are not the part that scares me.",
            "We were lucky that {s}, a trained {v}, happened to be around.",
        ),
        "email": (
            "If you need the slides, drop {s} a line at {v} and put the project in the subject.",
            "me:My email is {v}, because the old one bounced all week.",
            "Contact for the vendor thread: {s}, {v}.",
            "me:The best way to get hold of me is mail, and my address is {v}.",
        ),
        "phone": (
            "You can reach {s} on {v} during the day.",
            "me:In case the chat is gone again, my phone number is {v}.",
            "{s}'s mobile number is {v}, I just double checked the badge list.",
            "Emergency contact {s}: {v}",
        ),
        "birthday": (
            "Before I forget, {s}'s birthday is on {v}, and somebody should order a cake.",
            "me:I was born on {v}, so yes, another round is on me.",
            "{s} turns forty on {v}.",
            "me:My birthday falls on {v}, which nobody in this office has ever got right.",
        ),
        "allergy": (
            "When you order lunch please remember that {s} is allergic to {v}.",
            "me:Small thing for the kitchen: I'm terribly allergic to {v}.",
            "me:I can't have {v}, doctor's orders.",
            "Catering ticket: one guest ({s}) has an allergy to {v}.",
        ),
        "hobby": (
            "{s}, as it happens, is really into {v}, so we know what to get for the farewell.",
            "me:Weekends are for {v}, that's just who I am.",
            "me:I love {v}, and I would talk about it all day if you let me.",
            "me:What keeps me sane in this job is {v}.",
            "Ask {s} for tips, because {s} enjoys {v} more than anybody I know.",
        ),
        "pet": (
            "{s} has {v}, which explains the hair on the good chair.",
            "me:I have {v} at home, so a hotel with a garden would be great.",
            "me:My flat is small, but I share it with {v}.",
            "Over coffee I learned that {s} adopted {v} during the summer.",
        ),
        "language": (
            "Luckily {s} speaks {v}, so the call with the supplier went fine.",
            "me:I speak {v} with my grandmother, although my spelling is awful.",
            "me:{v} is my mother tongue.",
            "We put {s} on the account because of being fluent in {v}.",
        ),
        "owner": (
            "TICKET: {s} - owner: {v} - triaged this morning",
            "Since the reshuffle the {s} is owned by {v}, so please stop pinging the old channel.",
            "{v}, who joined from the platform group, now owns the {s} and would like reviews to be small.",
            "If anything about the {s} smells wrong, go to {v}, that's the person in charge.",
            "{v} has taken over the {s} while the rest of us finish the audit.",
        ),
        "port": (
            "Took me an hour to notice that the {s} listens on port {v} rather than the default one.",
            "Standup: debugged the firewall, the {s} is reachable on port {v} from the office network.",
            "After the change the {s} answers on {v}, so update your bookmarks.",
            "The {s}, which runs on port {v}, was missing from the allow list.",
        ),
        "version": (
            "Done since yesterday: upgraded the {s} to {v}, no surprises.",
            "As of this sprint the {s} is running {v}, which means that we can drop the shim.",
            "The {s} is still on {v} because nobody found the time.",
            "We have finally bumped the {s} to {v}, and the dashboards stayed green.",
        ),
        "depends": (
            "What bit us is that the {s} depends on {v}, which was restarted without notice.",
            "The {s} cannot come up until {v} does.",
            "Please keep in mind that the {s} relies on {v}, even though the diagram doesn't show it.",
            "Looking at the trace, the {s} needs {v} for every single call.",
        ),
        "uses": (
            "Under the hood the {s} uses {v}, and that's why the memory looks odd.",
            "For reasons that predate all of us, the {s} is built on {v}.",
            "The {s} keeps its state in {v}.",
            "I read the code over the weekend: the {s} is backed by {v} and not by files.",
        ),
        "host": (
            "The {s} runs in {v}, which is why the latency from here is what it is.",
            "Standup: moved the {s} from {o} to {v}, DNS follows tonight.",
            "Because of the new contract the {s} is hosted in {v}, and legal is happy with that.",
            "You'll find the {s} in {v} these days.",
        ),
        "status": (
            "Heads up, the {s} is {v}, I'm looking into it with two others.",
            "The {s} has been {v} since the maintenance window, so expect noise.",
            "TICKET: {s} {v}, customers are calling",
            "Nobody announced it, but the {s} is currently {v}.",
        ),
        "limit": (
            "We hit the wall because the {s} is limited to {v}, which I had to look up in the runbook.",
            "The limit of the {s} is {v}, and the vendor won't move on that.",
            "Anything above {v} gets rejected by the {s}.",
            "Per the contract, the {s} allows {v}, so plan your batches accordingly.",
        ),
        "price": (
            "I asked twice, and the {s} costs {v}, taxes included.",
            "The price of the {s} is {v}, which is more than we had in mind.",
            "They want {v} for the {s}.",
            "Got the quote back this morning: the {s} comes to {v}.",
            "Somebody has to sign off {v} for the {s}.",
        ),
        "due": (
            "TICKET: finish the {s} - due {v}",
            "The {s} is due on {v}, and before you ask, that's after the holidays.",
            "As agreed with the sponsor, the deadline for the {s} is {v}.",
            "Let me repeat it for those who joined late: the {s} has to be done by {v}.",
            "They moved the {s} from {o} to {v}, so there is a bit of air.",
        ),
        "start": (
            "The {s} starts at {v}, but the coffee is ready a good while earlier.",
            "Please be on time, since the {s} begins at {v} sharp.",
            "We said {v} for the {s}, didn't we.",
            "Calendar: {s}, {v}, bring your badge",
        ),
        "spot": (
            "If anyone is still searching, the {s} is in {v}, where it has been all along.",
            "For newcomers: the {s} is kept in {v}.",
            "I left the {s} in {v} after the demo.",
            "Look in {v} for the {s}.",
        ),
        "keeper": (
            "{v}, bless them, looks after the {s} although it is nobody's job on paper.",
            "Questions about the {s} go to {v}.",
            "As of this week {v} is responsible for the {s}, which I think is a good call.",
            "{v} volunteered to handle the {s}.",
        ),
    },
    {
        "lesson": (
            "If I had to do it again: always {l}, even when everybody is in a hurry.",
            "What we take away from last night is that one should {l}.",
            "Next time we {l}, no matter who asks.",
            "Retro note: {l} (we did not, and it showed).",
            "Lesson learned the hard way: {l}.",
        ),
        "warning": (
            "And please, whatever the pressure, never {l}.",
            "Don't {l}, we have been burnt by that twice.",
            "It is a terrible idea to {l}.",
            "Careful: do not {l}.",
        ),
        "recovery": (
            "In the end the fix was to {l}, and everything came back within a minute.",
            "{g} did the trick.",
            "We got it going again after somebody had the idea to {l}.",
            "What finally helped was to {l}.",
        ),
    },
    talk=(
        "I'm running five minutes late, the tram is packed.", "Honestly I have no opinion on that.",
        "Can we take this offline, please?", "My back hurts from that chair, but other than that all is well.",
        "Yesterday: meetings. Today: more meetings. Blockers: meetings.", "That reminds me of the thing with the printer, remember?",
        "Whoever took the last biscuit owes us a new pack.", "It would be nice to have a bit of sun for a change.",
        "Ping me when you are back and we can go through the list together.", "I have to leave early for the dentist.",
        "No blockers on my side, just slow progress.", "Good point, let me sleep on it and come back to you.",
        "The weather is awful and so is the coffee.", "I'll write it up properly once the call is over.",
        "She said she'd join later, which she never does.", "This is getting silly, but fine.",
        "We are nearly there, I think, give or take a few things.", "Nothing from me today.",
    ),
    traps=(
        "Wasn't {p} supposed to live in {c} by now?", "I was told {p} works for Initech, but don't quote me on that.",
        "If the {y} is owned by {p}, I'd be surprised.", "In a perfect world the {y} depends on nothing at all.",
        "We talked about whether the {y} should run in {c}, without a result.", "Rumour has it that {p} moved to {c}.",
        "The {t} was due on Monday, once upon a time.", "{p} wishes the {t} cost 10 euros.",
        "My guess is that the {y} listens on port 4444, though I haven't checked.", "No, the {t} is not in the basement.",
        "Imagine the {t} starts at 03:00, nobody would come.", "{p} is thinking about moving to {c}, nothing decided.",
        "The old wiki says \"the {y} runs in {c}\", and the old wiki is wrong.", "Could be that {p} speaks Dutch, could be that I dreamt it.",
        "Until last year the {y} ran on port 5555.", "They nearly sold the {t} for 99 dollars.",
        "{p} never lived in {c}, as far as anyone knows.", "Either {p} or somebody else owns the {y}, we'll find out.",
    ),
)  # fmt: skip
