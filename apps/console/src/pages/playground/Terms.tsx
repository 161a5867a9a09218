import type { OfferedOperation, Scenario } from "@tollgate/contract/account/Offer"
import { useEffect, useMemo, useState } from "react"
import { ChoiceField, TextField } from "../../ui/form.tsx"
import { isChat } from "./conversation.ts"
import styles from "./playground.module.css"
import { type Draft, capProblemOf, fragmentOf, isStreamed, pauseInTyping, sharedIn } from "./state/Draft.ts"
import { quote } from "@tollgate/client/discovered"
import type { Quote } from "@tollgate/contract/resources/Quote"
import { useLoad } from "@tollgate/react/effect"
import * as Effect from "effect/Effect"
import { type Arguments, isObject } from "./json.ts"
import { usd } from "../../ui/amounts.ts"
import { Copy, Notice } from "../../ui/kit.tsx"
import type { Workbench } from "./state/Workbench.ts"

export interface TermsProps {
  readonly operation: OfferedOperation
  readonly draft: Draft
  readonly scenarios: ReadonlyArray<Scenario>
  readonly edit: (change: Partial<Draft>) => void
}

/** What is asked of the call beside its arguments: a cap, another model, a scenario of the sandbox. */
export const Terms = ({ draft, edit, operation, scenarios }: TermsProps) => {
  const chosen = scenarios.find(({ value }) => value === draft.scenario)
  if (operation.is_free && scenarios.length === 0 && !isChat(operation)) return null
  return (
    <div className={styles["terms"]}>
      {operation.is_free ? null : (
        <TextField
          label="Cap in USD"
          error={capProblemOf(draft.cap)}
          inputMode="decimal"
          placeholder="No cap"
          value={draft.cap}
          onChange={(cap) => edit({ cap })}
        />
      )}
      {isChat(operation) ? (
        <TextField
          label="Compare with"
          spellCheck={false}
          placeholder="None"
          suggestions={operation.models}
          value={draft.otherModel}
          onChange={(model) => edit({ otherModel: model.trim() })}
        />
      ) : null}
      {scenarios.length === 0 ? null : (
        <ChoiceField
          label="Scenario"
          hint={chosen?.shows}
          options={[["", "Normal"], ...scenarios.map(({ title, value }) => [value, title] as const)]}
          value={draft.scenario}
          onChange={(scenario) => edit({ scenario })}
        />
      )}
    </div>
  )
}

/** The arguments as the client streams them, so that a quote counts every byte that is sent. */
const streamedArguments = ({ family, template }: OfferedOperation, given: Arguments): Arguments => {
  if (family === "gemini") return given
  if (family !== "openai" || template === "responses") return { ...given, stream: true }
  const chosen = given["stream_options"]
  return { ...given, stream: true, stream_options: { include_usage: true, ...(isObject(chosen) ? chosen : {}) } }
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
  const { arguments: given } = draft
  const isAsked = !operation.is_free && problem === undefined
  const streams = isStreamed(operation, draft)
  const asked = useMemo(() => {
    if (!isAsked) return Effect.succeed(undefined)
    return pauseInTyping(quote(operation.id, streams ? streamedArguments(operation, given) : given))
  }, [operation, given, streams, isAsked])
  const { error, state, value } = useLoad(asked, { keep: true })
  useEffect(() => onQuote(state === "ready" ? value : undefined), [onQuote, state, value])
  return (
    <p className="quote" role="status" aria-busy={state === "loading"}>
      {error !== undefined ? (
        <span className="no-quote" title={error.message}>
          No quote: {error.message}
        </span>
      ) : value !== undefined ? (
        <>
          <strong>at most {usd(value.max_micros_usd)}</strong>
          <span>about {usd(value.estimate_micros_usd)}</span>
        </>
      ) : (
        <span>{operation.is_free ? "This call is free." : (problem ?? "Asking for a quote…")}</span>
      )}
    </p>
  )
}

/** A link that fills in the same call for somebody else, who pays with a key of their own. */
export const Share = ({ draft }: { readonly draft: Draft }) => {
  const fragment = fragmentOf(draft)
  return fragment === undefined ? null : (
    <Copy label="Copy link" text={`${location.origin}${location.pathname}${fragment}`} />
  )
}

interface FilledInProps {
  readonly operation: OfferedOperation
  readonly workbench: Workbench
}

/** Fills in the call of the link that led here, once. */
export const FilledIn = ({ operation, workbench }: FilledInProps) => {
  const [isFilledIn, setFilledIn] = useState(false)
  useEffect(() => {
    const shared = sharedIn(location.hash, operation)
    if (shared === undefined) return
    history.replaceState(history.state, "", location.pathname + location.search)
    workbench.edit(operation, shared)
    setFilledIn(true)
  }, [operation, workbench])
  return isFilledIn ? (
    <Notice kind="warn" title="A link filled this in">
      <p>Read it before you send it. You pay for the call.</p>
    </Notice>
  ) : null
}
