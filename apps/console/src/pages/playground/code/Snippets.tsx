import { snippets } from "@tollgate/client/account"
import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import { useLoad } from "@tollgate/react/effect"
import * as Effect from "effect/Effect"
import { useMemo, useState } from "react"
import { Segments } from "../../../ui/form.tsx"
import { Card, Code, Skeleton } from "../../../ui/kit.tsx"
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
    <Card
      title="Code"
      action={
        <Segments
          label="Language"
          options={all.map(({ language, title }) => [language, title] as const)}
          value={shown?.language}
          onChange={choose}
        />
      }
    >
      {isTooLarge ? (
        <p className="soft">The arguments are too large to be shown as code.</p>
      ) : error !== undefined ? (
        <p className="soft">No code for these arguments: {error.message}</p>
      ) : shown === undefined ? (
        <Skeleton lines={6} />
      ) : (
        <div className={styles["code"]} aria-busy={state === "loading"}>
          <Code title={shown.title} code={shown.code} />
        </div>
      )}
    </Card>
  )
}
