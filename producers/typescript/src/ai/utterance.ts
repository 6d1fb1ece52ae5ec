/**
 * What a loop says that tells nothing new: recorded as an `utterance`, which is kept and not searched.
 *
 * The rule is that of `yggdrasil_producers.utterance`, with its lists (`make clients`); both are held to the cases of
 * `tests/corpus/utterances.json`. Only what a model said is given here, and never what a person did.
 */

import { AGAINST, COURTESIES, OPENINGS, REFUSALS } from "./phrases.ts";

export type Kind = "call" | "question" | "refusal" | "courtesy" | "repetition";

const LABEL = /\[m\d{1,4}(?:[,;&\s]{1,3}m\d{1,4}){0,16}\]/g;
const ENDS = /(?<=[.!?…])["'”’»)*_]{0,4}\s+|(?<=[。！？؟])|\n+/u;
const WORD = /[\p{L}\p{N}_]+/gu;
const ASKS = ["?", "？", "؟", ";"]; // the last is the Greek one
const AROUND = new Set(" \t\r\n\"'”’»«“„)(*_`>-");
const FENCE = /^```\w{0,16}\s|\s?```$/g;
const CALLS = ["<tool_call", "<function_call", "<tool_use"];
const WORDS_MIN = 3;
const CHARS_MAX = 16_000;
const AGAINST_IT = new Set(AGAINST);
const COURTESY = new Set(COURTESIES);

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
  const before = new Before(recalled);
  const kinds = new Set<Kind>();
  for (const sentence of sentences(said)) {
    const kind = kindOf(sentence, before);
    if (kind === null) return null;
    kinds.add(kind);
  }
  return kinds;
}

/** What was recalled, in words: its sentences, and each text as one line with a blank at both ends. */
class Before {
  readonly #sentences: ReadonlySet<string>;
  readonly #lines: readonly string[];

  constructor(recalled: readonly string[]) {
    const texts = recalled.map((text) => text.slice(0, CHARS_MAX));
    const whole = texts.map(plain);
    this.#sentences = new Set([...texts.flatMap((text) => sentences(text).map(plain)), ...whole].filter(Boolean));
    this.#lines = whole.map((text) => ` ${text} `);
  }

  /** Whether a sentence repeats some of it. */
  has(sentence: string): boolean {
    if (this.#sentences.has(sentence)) return true;
    return sentence.split(" ").length >= WORDS_MIN && this.#lines.some((line) => line.includes(` ${sentence} `));
  }
}

function kindOf(sentence: string, before: Before): Kind | null {
  const said = plain(sentence);
  if (!said) return "courtesy"; // nothing but marks
  const asked = withoutEnd(sentence);
  if (ASKS.some((mark) => asked.endsWith(mark))) return "question";
  if (COURTESY.has(said)) return "courtesy";
  if (before.has(said)) return "repetition";
  const rest = withoutOpening(said);
  if (!rest) return "courtesy";
  if (refuses(rest)) return "refusal";
  return rest !== said && before.has(rest) ? "repetition" : null;
}

function refuses(said: string): boolean {
  const phrase = REFUSALS.find((each) => said === each || said.startsWith(`${each} `));
  if (phrase === undefined || said === phrase) return phrase !== undefined;
  return !said.slice(phrase.length).split(" ").some((word) => AGAINST_IT.has(word));
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
