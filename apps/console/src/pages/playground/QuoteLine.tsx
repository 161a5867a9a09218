import { quote } from "@tollgate/client"
import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import type { Operation } from "@tollgate/contract/Operation"
import type { Quote } from "@tollgate/contract/resources/Quote"
import * as Effect from "effect/Effect"
import { useEffect, useMemo } from "react"
import { usd } from "../../ui/amounts.ts"
import { functionsOf, isStreamed } from "./client/functions.ts"
import { inputOf } from "./client/inputOf.ts"
import { type Arguments, isObject } from "./json.ts"
import { pauseInTyping, useRecovering } from "./state/useRecovering.ts"
import styles from "./playground.module.css"
import type { Draft } from "./state/Draft.ts"

/** The arguments as the client's streaming function sends them, so that a quote counts every byte that is sent. */
const streamedArguments = ({ client }: Operation, given: Arguments): Arguments => {
  const format = client ? client.stream : undefined
  if (format === "gemini") return given
  if (format !== "openai") return { ...given, stream: true }
  const chosen = given["stream_options"]
  return {
    ...given,
    stream: true,
    stream_options: { include_usage: true, ...(isObject(chosen) ? chosen : {}) }
  }
}

export interface QuoteLineProps {
  readonly operation: OfferedOperation
  readonly draft: Draft
  /** Why it cannot be sent as it is. */
  readonly problem: string | undefined
  readonly onQuote: (quote: Quote | undefined) => void
}

/** What the call can cost, asked while it is typed. A quote is free and makes no call. */
export const QuoteLine = ({ draft, onQuote, operation, problem }: QuoteLineProps) => {
  const { arguments: given, streams } = draft
  const isAsked = !operation.is_free && problem === undefined
  const asked = useMemo(() => {
    if (!isAsked) return Effect.succeed(undefined)
    const functions = functionsOf(operation)
    const sent = isStreamed(functions, streams) ? streamedArguments(functions.operation, given) : given
    return pauseInTyping(Effect.suspend(() => quote(functions.call, inputOf(operation, functions.operation, sent))))
  }, [operation, given, streams, isAsked])
  const { error, state, value } = useRecovering(asked, { keep: true })
  useEffect(() => onQuote(state === "ready" ? value : undefined), [onQuote, state, value])
  return (
    <p className={styles["quote"]} role="status" aria-busy={state === "loading"}>
      {operation.is_free ? (
        <span className="soft">This call is free.</span>
      ) : error !== undefined ? (
        <span className={styles["no-quote"]} title={error.message}>
          No quote: {error.message}
        </span>
      ) : value === undefined ? (
        <span className="soft">{problem ?? "Asking for a quote…"}</span>
      ) : (
        <>
          <strong>at most {usd(value.max_micros_usd)}</strong>
          <span>about {usd(value.estimate_micros_usd)}</span>
        </>
      )}
    </p>
  )
}
