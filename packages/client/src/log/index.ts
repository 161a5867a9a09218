import type { Incoming } from "@tollgate/contract/carrier/Carrier"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Bytes from "effect/Bytes"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { format } from "../workflows/Money.ts"
import type { Around } from "../call/request.ts"
import { Logged } from "../call/Watch.ts"
import type { Begun, Ended, Failed, Observer } from "../observe/Observer.ts"
import { andTell } from "../observe/observe.ts"

export interface LogOptions {
  /** Also shows the bodies of requests and answers, without the credential. */
  readonly bodies?: boolean
  /** Where lines go instead of standard error. */
  readonly write?: (line: string) => void
}

const longest = 4_000

/** One line: what callers and servers chose cannot begin another. */
const oneLine = (text: string): string =>
  (text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text).replace(
    /[\p{Cc}\u2028\u2029]/gu,
    " "
  )

const failureText = ({ code, outcome, status, type }: Failed): string =>
  `${type}${status === undefined ? "" : ` ${status}`}${code === undefined ? "" : ` ${code}`}, ${outcome}`

const chargeText = ({ charge: { micros, state } }: Ended): string => {
  if (state === "none") return "not charged"
  return micros === undefined ? `charge ${state}` : `charge ${format(micros)} ${state}`
}

const endText = (ended: Ended): string => {
  const { attempts, events, failed, quote, requestId, result, status } = ended
  const parts = [
    failed === undefined
      ? `${result === "left" ? "left early" : (status ?? "done")}`
      : `failed: ${failureText(failed)}`,
    `${Math.round(ended.millis)} ms`,
    attempts === 1 ? "1 attempt" : `${attempts} attempts`,
    ...(events === undefined ? [] : [`${events} events`]),
    ...(quote === undefined ? [] : [`quote ${format(quote.estimate.micros)}, at most ${format(quote.max.micros)}`]),
    chargeText(ended),
    ...(ended.replayed ? ["a stored answer"] : []),
    ...(requestId === undefined ? [] : [`request ${requestId}`])
  ]
  return parts.join(", ")
}

const subjectOf = ({ mode, model, operation }: Begun, number: number): string =>
  `tollgate ${number} ${mode === "call" ? "" : `${mode} `}${operation}${model === undefined ? "" : ` ${model}`}`

const isText = ({ headers }: Incoming): boolean => /json|text|xml/i.test(headers["content-type"] ?? "")

const newline = 10
const mostKept = 1_000_000

/** The lines that are complete: a credential that is cut in two would not be recognized. Of a line without end nothing is shown. */
const wholeLines = () => {
  let kept: Uint8Array = new Uint8Array(0)
  return (chunk: Uint8Array): Uint8Array => {
    const all = Bytes.concat([kept, chunk])
    const end = all.lastIndexOf(newline) + 1
    kept = all.subarray(all.length - end > mostKept ? all.length : end)
    return all.subarray(0, end)
  }
}

/** Shows the bodies. Those of a stream as they arrive. */
const showing =
  (print: (text: string) => Effect.Effect<void>): Around =>
  (request, { body, hide }) => {
    const show = (bytes: Uint8Array, isShown: boolean, word: string) =>
      print(`${word} ${isShown ? hide(Utf8.decode(bytes)) : `${bytes.length} bytes`}`)
    return Effect.andThen(
      body === undefined ? Effect.void : show(body, true, "sends"),
      Effect.flatMap(request, (incoming) => {
        const arrived = incoming.body
        if (arrived instanceof Uint8Array) return Effect.as(show(arrived, isText(incoming), "receives"), incoming)
        const lines = wholeLines()
        const shown = Stream.tap(arrived, (chunk) => {
          const bytes = lines(chunk)
          return bytes.length === 0 ? Effect.void : show(bytes, true, "receives")
        })
        return Effect.succeed({ ...incoming, body: shown })
      })
    )
  }

const observer = ({ bodies = false, write }: LogOptions): Observer => {
  let calls = 0
  return (begun) => {
    const subject = subjectOf(begun, ++calls)
    const print = (text: string): Effect.Effect<void> => {
      const line = oneLine(`${subject}: ${text}`)
      return write === undefined ? Console.error(line) : Effect.sync(() => write(line))
    }
    let last = ""
    return Effect.as(print(`${begun.method} ${begun.server?.address ?? ""}:${begun.server?.port ?? ""}`), {
      ...(bodies ? { around: showing(print) } : {}),
      attempted: (number, failed) => {
        last = failed === undefined ? "" : `attempt ${number} failed: ${failureText(failed)}`
      },
      waits: (millis) => print(`${last}; tries again in ${Math.round(millis)} ms`),
      ended: (ended) => print(endText(ended))
    })
  }
}

/**
 * Writes a line to standard error when a call begins, is tried again and ends: `createClient({ log: log() })`. It never shows a
 * credential, and bodies only if `bodies` is set.
 */
export const log = (options: LogOptions = {}): Layer.Layer<never> => Layer.succeed(Logged, andTell(observer(options)))
