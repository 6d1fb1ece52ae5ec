/**
 * What a loop says that tells nothing new: recorded as an `utterance`, which is kept and not searched.
 *
 * The rule is that of `yggdrasil_producers.utterance`, with its lists (`make clients`); both are held to the cases of
 * `tests/corpus/utterances.json`. Only what a model said is given here, and never what a person did.
 */

import { AGAINST, CHANGES, COURTESIES, OF, OPENINGS, REFUSALS } from "./phrases.ts";

/** What a sentence is. A refusal is one of nothing but its phrase; what is `unanswered` is said with it otherwise. */
export type Kind = "call" | "question" | "refusal" | "unanswered" | "courtesy" | "repetition";

const LABEL = /\[m\d{1,4}(?:[,;&\s]{1,3}m\d{1,4}){0,16}\]/g;
const ENDS = /(?<=[.!?…])["'”’»)*_]{0,4}\s+|(?<=[。！？؟])|\n+/u;
const WORD = /(?<![\p{L}\p{N}_])[-+\u2212]?\p{Nd}+(?:[.,:]\p{Nd}+)*%?|[\p{L}\p{N}_]+/gu;
const CLAUSE = /[,;:](?!\S)|\s[-–—]\s|—|[，、；：]/u;
const ASKS = ["?", "？", "؟", ";"]; // the last is the Greek one
const AROUND = new Set(" \t\r\n\"'”’»«“„)(*_`>-");
const FENCE = /^```\w{0,16}\s|\s?```$/g;
const CALLS = ["<tool_call", "<function_call", "<tool_use"];
const WORDS_MIN = 3;
const CHARS_MAX = 16_000;
const SENTENCES_MAX = 64;
const AGAINST_IT = new Set(AGAINST);
const CHANGES_IT = new Set(CHANGES);
const COURTESY = new Set(COURTESIES);
const OF_IT = new Set(OF);

/**
 * What a loop's text consists of, where it tells nothing new; null where it may. `recalled` are the texts that the
 * memory gave before, `tools` the names of the tools that were called. Takes time in proportion to the texts.
 */
export function kindsOf(
  said: string,
  recalled: readonly string[] = [],
  tools: ReadonlySet<string> = new Set(),
): ReadonlySet<Kind> | null {
  if (said.length > CHARS_MAX) return null;
  if (isCall(said, tools)) return new Set(["call"]);
  const all = sentences(said);
  if (all.length > SENTENCES_MAX) return null;
  const before = new Before(recalled);
  const kinds = new Set<Kind>();
  for (const sentence of all) {
    const found = kindsOfSentence(sentence, before);
    if (found === null) return null;
    for (const kind of found) kinds.add(kind);
  }
  return kinds;
}

/** What was recalled and asks nothing, in words: whole texts and sentences, and these with a blank at both ends. */
class Before {
  readonly #whole: ReadonlySet<string>;
  readonly #lines: readonly string[];

  constructor(recalled: readonly string[]) {
    const texts = recalled.map((text) => text.slice(0, CHARS_MAX));
    const single = texts.flatMap((text) => sentences(text).filter((each) => !asks(each)).map(plain));
    this.#whole = new Set([...single, ...texts.filter((text) => !asks(text)).map(plain)].filter(Boolean));
    this.#lines = [...new Set(single)].map((text) => ` ${text} `);
  }

  /** Whether something repeats some of it, and what it leaves out changes nothing. */
  has(said: string): boolean {
    if (this.#whole.has(said)) return true;
    if (said.split(" ").length < WORDS_MIN) return false;
    const run = ` ${said} `;
    return this.#lines.some(
      (line) => line.includes(run) && !line.replace(run, () => " ").split(" ").some((word) => CHANGES_IT.has(word)),
    );
  }
}

/** What the clauses of a sentence are, or the sentence as a whole; null where one may tell something. */
function kindsOfSentence(sentence: string, before: Before): Set<Kind> | null {
  const said = plain(sentence);
  if (!said) return new Set(["courtesy"]); // nothing but marks
  if (asks(sentence)) return new Set(["question"]);
  const rest = withoutOpening(said);
  if (before.has(said) || (rest && before.has(rest))) return new Set(["repetition"]);
  const kinds = new Set<Kind>();
  let refused = false; // by the clause before
  for (const clause of sentence.split(CLAUSE).map(plain).filter(Boolean)) {
    const kind: Kind | null = refused && isOf(clause) ? "unanswered" : kindOf(clause);
    if (kind === null) return null;
    refused = kind === "refusal" || kind === "unanswered";
    kinds.add(kind);
  }
  if (kinds.has("unanswered")) kinds.delete("refusal");
  return kinds;
}

function kindOf(clause: string): Kind | null {
  const rest = COURTESY.has(clause) ? clause : withoutOpening(clause);
  if (!rest || COURTESY.has(rest)) return "courtesy";
  if (REFUSALS.includes(rest)) return "refusal";
  const goesOn = REFUSALS.some((each) => rest.startsWith(`${each} `) && isOf(rest.slice(each.length + 1)));
  return goesOn ? "unanswered" : null;
}

/** Whether words say what is not known, and nothing besides. */
function isOf(rest: string): boolean {
  const words = rest.split(" ");
  return OF_IT.has(words[0] ?? "") && !words.some((word) => AGAINST_IT.has(word));
}

function asks(sentence: string): boolean {
  const end = withoutEnd(sentence);
  return ASKS.some((mark) => end.endsWith(mark));
}

function withoutOpening(said: string): string {
  let rest = said;
  for (let times = 0; times < 2; times++) { // "I am sorry, as far as I know ..."
    const opening = OPENINGS.find((each) => rest === each || rest.startsWith(`${each} `));
    if (opening === undefined) break;
    rest = rest.slice(opening.length).trimStart();
  }
  return rest;
}

function sentences(text: string): string[] {
  return text.split(ENDS).filter((each) => each.trim());
}

/** The words of a text in small letters, without labels of records, apostrophes and marks. */
function plain(text: string): string {
  const small = text.normalize("NFC").toLowerCase().replaceAll("ß", "ss").replaceAll("ς", "σ");
  return (small.replace(/['’]/g, "").replace(LABEL, " ").match(WORD) ?? []).join(" ");
}

function withoutEnd(sentence: string): string {
  let end = sentence.length;
  while (end > 0 && AROUND.has(sentence.charAt(end - 1))) end--;
  return sentence.slice(0, end);
}

/** Whether a text is the call of a tool and nothing else, or what its tools returned by their names, as JSON. */
function isCall(said: string, tools: ReadonlySet<string>): boolean {
  const text = said.trim().replace(FENCE, "").trim();
  if (CALLS.some((each) => text.startsWith(each))) return text.endsWith(">");
  if (!text.startsWith("{") && !text.startsWith("[")) return false;
  try {
    return calls(JSON.parse(text), tools);
  } catch {
    return false; // no JSON, or one that is too deep
  }
}

function calls(value: unknown, tools: ReadonlySet<string>): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((each) => isObject(each) && calls(each, tools));
  if (!isObject(value)) return false;
  const names = Object.keys(value);
  if (names.length > 0 && names.every((name) => tools.has(name))) return true;
  const named = typeof value["name"] === "string" || typeof value["tool"] === "string";
  const given = ["arguments", "parameters", "input", "args", "call_id"].some((name) => name in value);
  return (named && given) || "tool_calls" in value || "function_call" in value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
