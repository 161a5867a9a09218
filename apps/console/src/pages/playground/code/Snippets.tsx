import { snippets } from "@tollgate/client/account"
import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import { useLoad } from "@tollgate/react"
import * as Effect from "effect/Effect"
import { useId, useMemo, useState } from "react"
import { Copy, Skeleton } from "../../../ui/kit.tsx"
import { isLarge } from "../json.ts"
import { capOf, type Draft, isStreamed, pauseInTyping } from "../state/Draft.ts"
import styles from "./code.module.css"

export interface SnippetsProps {
  readonly operation: OfferedOperation
  readonly draft: Draft
}

/** The language that was chosen last, for other operations too. */
let keptLanguage: string | undefined

/** The code that makes the same call, in the languages of the reference. */
export const Snippets = ({ draft, operation }: SnippetsProps) => {
  const { arguments: given, scenario } = draft
  const cap = operation.is_free ? undefined : capOf(draft)
  const streams = isStreamed(operation, draft)
  const id = useId()
  const [language, setLanguage] = useState(keptLanguage)
  const choose = (chosen: string): void => {
    keptLanguage = chosen
    setLanguage(chosen)
  }
  const isTooLarge = useMemo(() => isLarge(given), [given])
  const written = useMemo(
    () =>
      isTooLarge
        ? Effect.succeed({ snippets: [] })
        : pauseInTyping(
            snippets({
              operation: operation.id,
              arguments: given,
              ...(streams ? { stream: true } : {}),
              ...(cap === undefined ? {} : { max_price_usd: cap }),
              ...(scenario === "" ? {} : { scenario })
            })
          ),
    [operation, given, streams, cap, scenario, isTooLarge]
  )
  const { error, state, value } = useLoad(written, { keep: true })
  const all = value?.snippets ?? []
  const shown = all.find((snippet) => snippet.language === language) ?? all[0]
  return (
    <section className={`code ${styles["code"]}`} aria-labelledby={id} aria-busy={state === "loading"}>
      <header>
        <h2 id={id} className="quiet">
          Code
        </h2>
        <div role="group" aria-label="Language" className={styles["languages"]}>
          {all.map((snippet) => (
            <button
              key={snippet.language}
              type="button"
              aria-pressed={snippet === shown}
              onClick={() => choose(snippet.language)}
            >
              {snippet.title}
            </button>
          ))}
        </div>
        {shown === undefined ? null : <Copy text={shown.code} />}
      </header>
      {isTooLarge ? (
        <p className={styles["none"]}>The arguments are too large to be shown as code.</p>
      ) : error !== undefined ? (
        <p className={styles["none"]}>No code for these arguments: {error.message}</p>
      ) : shown === undefined ? (
        <div className={styles["none"]}>
          <Skeleton lines={6} />
        </div>
      ) : (
        <pre tabIndex={0}>
          <code>{shown.code}</code>
        </pre>
      )}
    </section>
  )
}
