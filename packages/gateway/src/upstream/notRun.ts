import { read } from "@tollgate/contract/price/exact"
import { tryParseSmall } from "../internal/jsonValue.ts"

/** What an error says of a protocol, by which its provider declares that nothing ran. docs/routes.md has the table. */
interface Declared {
  readonly status: ReadonlyArray<number>
  readonly is: (error: unknown) => boolean
}

type Reason = "overloaded" | "too long"

const says = (error: unknown, field: string, pattern: RegExp): boolean => {
  const value = read(error, [field])
  return typeof value === "string" && pattern.test(value)
}

// Bedrock has its errors in the same form, and other words.
const anthropicTooLong =
  /^(?:prompt is too long|input length and `max_tokens` exceed context limit|(?:The model returned the following errors: )?Input (?:is too long for requested model|Tokens Exceeded))\b/

const declared: Readonly<Record<string, Readonly<Record<Reason, Declared>>>> = {
  anthropic: {
    overloaded: { status: [503, 529], is: (error) => says(error, "type", /^overloaded_error$/) },
    "too long": {
      status: [400],
      is: (error) => says(error, "type", /^invalid_request_error$/) && says(error, "message", anthropicTooLong)
    }
  },
  openai: {
    overloaded: {
      status: [503],
      is: (error) =>
        says(error, "code", /^(?:server_is_overloaded|slow_down)$/) ||
        says(error, "type", /^overloaded_error$/) ||
        says(error, "message", /^(?:the engine|the model|that model|the server) is (?:currently )?overloaded\b/i)
    },
    "too long": { status: [400], is: (error) => says(error, "code", /^context_length_exceeded$/) }
  },
  gemini: {
    overloaded: {
      status: [503],
      is: (error) =>
        says(error, "status", /^UNAVAILABLE$/) &&
        says(error, "message", /\bmodel is (?:currently )?(?:overloaded|experiencing high demand)\b/)
    },
    "too long": {
      status: [400],
      is: (error) =>
        says(error, "status", /^INVALID_ARGUMENT$/) &&
        says(error, "message", /^the input token count\b.* exceeds the maximum number of tokens allowed\b/i)
    }
  }
}

/** Statuses that an error has which began a stream: it had none of its own, and got that of its name. */
const ofFirstError = [500, 502, 503, 529]

/** Why nothing ran, if an answer of this status proves it by an error that its protocol documents. */
export const notRun = (
  protocol: string,
  status: number,
  body: Uint8Array,
  isFirstError: boolean
): Reason | undefined => {
  const shape = protocol === "converse" ? "anthropic" : protocol
  const known = Object.hasOwn(declared, shape) ? declared[shape] : undefined
  if (known === undefined) return undefined
  const reason = status === 400 ? "too long" : "overloaded"
  const { is, status: statuses } = known[reason]
  if (!statuses.includes(status) && !(isFirstError && ofFirstError.includes(status))) return undefined
  const answer = tryParseSmall(body, 0, body.length)
  // Gemini's stream without events is an array.
  return is(read(Array.isArray(answer) ? answer[0] : answer, ["error"])) ? reason : undefined
}
