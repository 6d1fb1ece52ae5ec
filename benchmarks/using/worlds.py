"""Four worlds of facts, each kind with a memory, a question, and words of its own for each writer.

``first`` is how the first writer says it, who keeps near to the memory; ``near`` and ``far`` are the second's, who says
it with some of its words, or with hardly any. ``other`` is the same fact gone wrong: another number, or a *not*.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of fact: texts with the slots of its world."""

    memory: Sequence[str]
    question: str
    first: Sequence[str]
    near: Sequence[str]
    far: Sequence[str]
    other: str


@dataclass(frozen=True, slots=True)
class World:
    """Kinds of facts about things of one walk of life, with what fills their slots."""

    name: str
    slots: Mapping[str, Sequence[str]]
    kinds: Sequence[Kind]


@dataclass(frozen=True, slots=True)
class Fact:
    """A kind with its slots filled; ``text`` is the memory."""

    kind: Kind
    filled: Mapping[str, str]
    text: str

    def said(self, texts: Sequence[str] | str, rng: Random) -> str:
        """Return one of some texts of its kind with its slots filled."""
        chosen = texts if isinstance(texts, str) else rng.choice(texts)
        return chosen.format(**self.filled)


def facts(world: World, rng: Random) -> Iterator[Fact]:
    """Yield facts of a world without end, of all its kinds in turn."""
    while True:
        for kind in rng.sample(list(world.kinds), len(world.kinds)):
            filled = {name: rng.choice(list(values)) for name, values in world.slots.items()}
            filled |= {
                "n": str(rng.randrange(3, 90)),
                "m": str(rng.randrange(100, 900)),
                "wrong": str(rng.randrange(1_000, 9_000)),
            }
            yield Fact(kind, filled, rng.choice(list(kind.memory)).format(**filled))


OPERATIONS: Final = World(
    "operations",
    {
        "service": ["billing", "checkout", "search", "ledger", "gateway", "mailer", "catalogue", "login"],
        "person": ["Priya", "Tomas", "Ines", "Kwame", "Yuki", "Olga", "Mateo", "Hana"],
        "day": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"],
        "tool": ["Terraform", "Ansible", "Helm", "Jenkins", "Argo", "Puppet"],
        "place": ["Frankfurt", "Oregon", "Dublin", "Singapore", "Montreal"],
    },
    (
        Kind(
            (
                "The {service} service allows {m} requests per minute for each client",
                "Rate limit of {service}: {m} requests a minute per client",
            ),
            "How many requests may a client send to {service}?",
            (
                "Each client of {service} is allowed {m} requests per minute",
                "The rate limit of {service} is {m} requests a minute",
            ),
            (
                "Keep every caller of {service} below {m} requests, counted by the minute",
                "You can send {m} requests in a minute to {service} and no more",
            ),
            ("A caller gets through {m} times before it has to wait sixty seconds", "Stay under {m} calls, then pause"),
            "Each client of {service} is allowed {wrong} requests per minute",
        ),
        Kind(
            (
                "A deploy of {service} on a {day} took the site down for {n} minutes",
                "{day}: {service} was deployed, and the site was down for {n} minutes",
            ),
            "Is it safe to release {service} on a {day}?",
            (
                "Do not deploy {service} on a {day}: the last time the site was down for {n} minutes",
                "The deploy of {service} on a {day} took the site down for {n} minutes",
            ),
            (
                "I would wait, as releasing {service} at that point of the week cost {n} minutes of downtime",
                "Last time a {day} rollout of {service} meant the site being down",
            ),
            (
                "Hold it back; customers were locked out the last time somebody tried",
                "Shipping then ended in an outage, so pick another slot",
            ),
            "Deploying {service} on a {day} never took the site down",
        ),
        Kind(
            (
                "{person} owns the {service} service and approves its changes",
                "Owner of {service} is {person}, who approves changes",
            ),
            "Who has to approve a change of {service}?",
            ("{person} owns {service} and has to approve it", "Ask {person}, who owns the {service} service"),
            ("Get {person} to sign it, the owner of that one", "{person} is the one with the say over {service}"),
            ("Let {person} have a look before you merge", "You want {person} for that"),
            "{person} does not own the {service} service and does not approve its changes",
        ),
        Kind(
            (
                "The keys of {service} are kept in the vault under {place} and rotate every {n} days",
                "{service} keys: vault, path {place}, rotated every {n} days",
            ),
            "Where are the keys of {service}?",
            (
                "The keys are in the vault under {place} and rotate every {n} days",
                "They are kept in the vault, path {place}",
            ),
            ("Look in the vault below {place}; new keys come each {n} days", "{place} in the vault holds them"),
            (
                "Under {place}, in the secret store, and they change often",
                "The credentials sit where we store secrets, filed by {place}",
            ),
            "The keys of {service} are kept in the vault and rotate every {wrong} days",
        ),
        Kind(
            (
                "{service} is provisioned with {tool} from the {place} account",
                "We provision {service} with {tool}, in the account of {place}",
            ),
            "How is {service} set up?",
            ("{service} is provisioned with {tool} from the {place} account", "It is provisioned with {tool}"),
            ("{tool} builds it, out of the account in {place}", "Use {tool} against the {place} account"),
            ("Everything comes out of {tool} templates", "Run the {tool} scripts; they make the machines"),
            "{service} is not provisioned with {tool} from the {place} account",
        ),
        Kind(
            (
                "Backups of {service} run at {n} past midnight and are copied to {place}",
                "{service} backups are copied to {place} at {n} minutes past midnight",
            ),
            "When does {service} get backed up?",
            (
                "Backups run at {n} past midnight and are copied to {place}",
                "The backups of {service} are copied to {place}",
            ),
            (
                "Shortly after midnight, {n} past, with a copy going to {place}",
                "A copy of the backups goes over to {place} each night",
            ),
            (
                "In the small hours, and a duplicate is shipped abroad to {place}",
                "Each night the data is saved and sent to {place}",
            ),
            "Backups of {service} run at {wrong} past midnight and are copied elsewhere",
        ),
    ),
)

HOUSEHOLD: Final = World(
    "household",
    {
        "who": ["Grandma", "Leo", "Aunt Rosa", "Ben", "Clara", "Uncle Jim", "Nina", "the neighbour"],
        "food": ["peanuts", "shellfish", "strawberries", "gluten", "walnuts", "sesame"],
        "thing": ["dishwasher", "boiler", "freezer", "washing machine", "oven", "lawn mower"],
        "month": ["January", "March", "April", "June", "August", "October", "November"],
        "shop": ["the market hall", "Miller's", "the corner store", "the farm shop", "the co-op"],
    },
    (
        Kind(
            (
                "{who} is allergic to {food} and had to go to hospital in {month}",
                "Allergy: {who} must not eat {food}; hospital in {month}",
            ),
            "What should I mind when cooking for {who}?",
            ("{who} is allergic to {food}, so leave it out", "Remember the allergy: {who} must not eat {food}"),
            (
                "No {food} in anything, since {who} reacts badly and landed in hospital",
                "Cook without {food} because of the allergy",
            ),
            (
                "Keep {food} away; it could end in an ambulance",
                "Something in the nuts or berries line is dangerous there",
            ),
            "{who} is not allergic to {food} and did not go to hospital",
        ),
        Kind(
            (
                "The {thing} was repaired in {month} for {m} euros, with a warranty of {n} months",
                "{month}: repair of the {thing}, {m} euros, warranty {n} months",
            ),
            "What about the {thing}, which is broken again?",
            (
                "The {thing} was repaired in {month} with a warranty of {n} months",
                "The repair of the {thing} in {month} cost {m} euros",
            ),
            (
                "It was mended in {month}, so the warranty of {n} months may still cover it",
                "You paid {m} euros for it and there is a warranty",
            ),
            (
                "Call the firm first, they have to fix it for free",
                "It has been seen to before, for {m}, and they promised it would last",
            ),
            "The {thing} was repaired for {wrong} euros, with a warranty of {wrong} months",
        ),
        Kind(
            (
                "{who}'s birthday is on {month} {n}, and a book is always welcome",
                "Birthday of {who}: {month} {n}; likes to get books",
            ),
            "What shall I give {who}, and when?",
            ("{who}'s birthday is on {month} {n}, and a book is always welcome", "Give a book on {month} {n}"),
            (
                "Something to read, by {month} {n}, when {who} has a birthday",
                "A book would do, the birthday being in {month}",
            ),
            ("A novel, wrapped in time for the party", "Visit the bookshop before the big day"),
            "{who}'s birthday is on {month} {wrong}, and books are unwelcome",
        ),
        Kind(
            (
                "The bread from {shop} was stale twice, and {who} complained",
                "{who} complained about stale bread from {shop}, twice",
            ),
            "Where do I buy bread?",
            (
                "Not from {shop}: the bread was stale twice and {who} complained",
                "The bread from {shop} was stale, so go elsewhere",
            ),
            ("Anywhere but {shop}, whose bread had gone stale", "{who} would complain again about the bread of {shop}"),
            (
                "Avoid {shop}; it was as hard as a brick on both occasions",
                "Pick a baker who sells fresh loaves, unlike last time",
            ),
            "The bread from {shop} was never stale, and nobody complained",
        ),
        Kind(
            ("The spare key lies with {who}, and the alarm code is {m}", "{who} has the spare key; alarm code {m}"),
            "I am locked out, what now?",
            ("{who} has the spare key, and the alarm code is {m}", "The spare key lies with {who}"),
            ("Ring {who} for the key and type {m} at the alarm", "Get the spare from {who}"),
            ("Ask {who} to let you in", "{who} can open up for you; punch in {m} as you enter"),
            "The spare key lies with nobody, and the alarm code is {wrong}",
        ),
        Kind(
            (
                "We fly to the coast in {month} with {n} kilos of luggage each, back after a week",
                "{month}: flight to the coast, {n} kilos of luggage, one week",
            ),
            "What do I have to know for the holiday?",
            (
                "We fly to the coast in {month} with {n} kilos of luggage each",
                "The flight in {month} allows {n} kilos of luggage",
            ),
            ("Pack no more than {n} kilos, the flight leaves in {month}", "It is a week at the coast, in {month}"),
            ("Seven days by the sea; bring swimwear and travel light", "Bags up to {n} are fine on the plane"),
            "We fly to the coast with {wrong} kilos of luggage each",
        ),
    ),
)

LABORATORY: Final = World(
    "laboratory",
    {
        "sample": ["yeast", "zebrafish", "E. coli", "tobacco", "mouse liver", "HeLa", "arabidopsis"],
        "device": ["centrifuge", "sequencer", "spectrometer", "incubator", "microscope", "cytometer"],
        "reagent": ["trypsin", "ethanol", "agarose", "glycerol", "Tris buffer", "formalin"],
        "chief": ["Dr. Okafor", "Dr. Lindqvist", "Dr. Haddad", "Dr. Moreau", "Dr. Tanaka"],
        "room": ["B12", "C3", "the cold room", "the annex", "the basement"],
    },
    (
        Kind(
            (
                "Cultures of {sample} died when the incubator stood above {n} degrees",
                "{sample} cultures do not survive above {n} degrees",
            ),
            "At what temperature do I grow {sample}?",
            (
                "Stay below {n} degrees: cultures of {sample} died above that",
                "{sample} cultures do not survive above {n} degrees",
            ),
            ("Anything over {n} degrees kills the {sample}", "Set it lower than {n}, or the culture dies"),
            ("Keep it cool, we lost a batch to the heat", "Warmth past {n} is deadly for them"),
            "Cultures of {sample} died when the incubator stood above {wrong} degrees",
        ),
        Kind(
            (
                "The {device} in {room} drifts after {n} hours and has to be calibrated",
                "Calibrate the {device} in {room}: it drifts after {n} hours",
            ),
            "Can I trust the {device}?",
            ("The {device} drifts after {n} hours and has to be calibrated", "Calibrate the {device} in {room} first"),
            ("Only when freshly calibrated, as it drifts within {n} hours", "It needs calibration, the one in {room}"),
            (
                "Readings wander over a working day, so zero it every morning",
                "Check it against a standard before each run",
            ),
            "The {device} in {room} never drifts and has not to be calibrated",
        ),
        Kind(
            (
                "{chief} wants {reagent} ordered {n} days ahead from the second supplier",
                "{reagent}: order {n} days ahead, second supplier, says {chief}",
            ),
            "How do I get more {reagent}?",
            (
                "Order {reagent} {n} days ahead from the second supplier",
                "{chief} wants it ordered from the second supplier",
            ),
            (
                "Place the order {n} days early, with the other supplier, as {chief} likes it",
                "From the second supplier, in good time",
            ),
            ("Talk to the alternative vendor well before you run out", "{chief} prefers the backup firm"),
            "{chief} wants {reagent} ordered {wrong} days ahead",
        ),
        Kind(
            (
                "Staining {sample} with {reagent} left artefacts in {m} images",
                "Artefacts in {m} images after staining {sample} with {reagent}",
            ),
            "How should I stain {sample}?",
            (
                "Not with {reagent}, since staining {sample} with it left artefacts in {m} images",
                "Staining with {reagent} left artefacts",
            ),
            (
                "{reagent} spoils the images with artefacts, so use another stain",
                "Avoid {reagent}: {m} images had artefacts",
            ),
            ("Choose another dye, the pictures came out speckled", "{reagent} ruins the pictures"),
            "Staining {sample} with {reagent} left no artefacts",
        ),
        Kind(
            (
                "{chief} keeps the protocol for {sample} in {room}, in the green folder",
                "Protocol for {sample}: green folder, {room}, {chief}",
            ),
            "Where is the protocol for {sample}?",
            ("The protocol for {sample} is in {room}, in the green folder", "{chief} keeps it in the green folder"),
            ("Look for the green folder over in {room}", "In {room}; {chief} keeps the protocols there"),
            ("Try the shelf in {room}", "{chief} will hand you the instructions"),
            "{chief} does not keep the protocol for {sample} in {room}, nor in the green folder",
        ),
        Kind(
            (
                "The grant of {chief} pays for {m} runs of the {device} until the summer",
                "{m} runs of the {device} are paid by the grant of {chief}, until the summer",
            ),
            "Who pays for the {device}?",
            (
                "The grant of {chief} pays for {m} runs until the summer",
                "{chief}'s grant pays for the runs of the {device}",
            ),
            ("It goes on the grant of {chief}, good for {m} runs", "Until the summer the grant covers it"),
            ("Charge it to {chief}", "There is funding left under {chief}, for {m} more"),
            "The grant of {chief} pays for {wrong} runs of the {device}",
        ),
    ),
)

FRIENDS: Final = World(
    "friends",
    {
        "name": ["Caroline", "Melanie", "Joris", "Amara", "Felix", "Sunita", "Pavel", "Lucia"],
        "city": ["Lisbon", "Kyoto", "Tromsø", "Valparaíso", "Leeds", "Kraków", "Accra"],
        "sport": ["climbing", "rowing", "fencing", "running", "judo", "swimming"],
        "pet": ["greyhound", "parrot", "tortoise", "kitten", "pony"],
        "job": ["nurse", "carpenter", "translator", "pilot", "baker", "notary"],
    },
    (
        Kind(
            (
                "{name} moved to {city} {n} months ago for a job as a {job}",
                "{name} lives in {city} since {n} months and works as a {job}",
            ),
            "Where does {name} live now?",
            ("{name} moved to {city} {n} months ago", "{name} lives in {city} and works as a {job}"),
            ("In {city}, where the new job as a {job} is", "{name} has been in {city} these {n} months"),
            ("{city}, if I am not mistaken", "Somewhere new, for the sake of work"),
            "{name} moved away from {city} {wrong} months ago",
        ),
        Kind(
            (
                "{name} adopted a {pet} and takes it to the vet every {n} weeks",
                "{name} has a {pet} now, with a visit to the vet every {n} weeks",
            ),
            "What is new with {name}?",
            (
                "{name} adopted a {pet} and takes it to the vet every {n} weeks",
                "There is a {pet} now, and the vet every {n} weeks",
            ),
            (
                "A {pet} came to live there, with the vet being paid a visit each {n} weeks",
                "{name} adopted an animal, a {pet}",
            ),
            ("There is a new companion at home", "A {pet} keeps the household busy"),
            "{name} has not adopted a {pet} and does not go to the vet",
        ),
        Kind(
            (
                "{name} hurt a knee while {sport} and has to rest for {n} days",
                "Injured knee: {name} was {sport} and must rest {n} days",
            ),
            "Will {name} come along on the hike?",
            (
                "{name} hurt a knee while {sport} and has to rest for {n} days",
                "No, {name} must rest for {n} days with an injured knee",
            ),
            ("Hardly, the knee needs {n} days of rest", "{name} was hurt when {sport}, so no"),
            ("Walking is out of the question for a while", "Not with that leg"),
            "{name} hurt a knee while {sport} and has to rest for {wrong} days",
        ),
        Kind(
            (
                "{name} and the sister from {city} have not spoken since the wedding",
                "Since the wedding {name} does not speak with the sister from {city}",
            ),
            "May I invite {name} together with the family?",
            (
                "{name} and the sister from {city} have not spoken since the wedding",
                "Careful: since the wedding {name} does not speak with the sister",
            ),
            (
                "Mind that the sister is not on terms with {name} since that wedding",
                "The sister from {city} had better be asked another day",
            ),
            ("There is bad blood between the siblings", "Two of them avoid each other, so seat them apart"),
            "{name} and the sister from {city} have always spoken",
        ),
        Kind(
            (
                "{name} trains for a {sport} contest in {city} and eats no sugar",
                "{sport} contest in {city}: {name} trains and eats no sugar",
            ),
            "What can I cook for {name}?",
            (
                "{name} eats no sugar while training for the {sport} contest in {city}",
                "Something without sugar: {name} trains for a contest",
            ),
            ("No sugar, please, the training for {city} is on", "Skip the sugar because of the {sport}"),
            ("Leave dessert off the menu until the race is over", "Nothing sweet"),
            "{name} trains for a {sport} contest and eats sugar",
        ),
        Kind(
            (
                "{name} lent Felix {m} euros for the course and wants them back",
                "{m} euros that {name} lent for the course are to be paid back",
            ),
            "What is open between us and {name}?",
            (
                "{name} lent {m} euros for the course and wants them back",
                "The {m} euros for the course are to be paid back to {name}",
            ),
            ("Pay back the {m} euros, lent for the course", "{name} is waiting for the loan, {m} euros"),
            ("There is a debt of {m}", "We owe money, and a reminder has come"),
            "{name} lent {wrong} euros for the course",
        ),
    ),
)

WORLDS: Final = (OPERATIONS, HOUSEHOLD, LABORATORY, FRIENDS)
