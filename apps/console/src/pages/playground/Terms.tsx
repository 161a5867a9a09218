import type { OfferedOperation, Scenario } from "@tollgate/contract/account/Offer"
import { useId } from "react"
import { Field } from "../../ui/form.tsx"
import { isChat } from "./conversation.ts"
import styles from "./playground.module.css"
import { capProblemOf, type Draft } from "./state/Draft.ts"

export interface TermsProps {
  readonly operation: OfferedOperation
  readonly draft: Draft
  readonly scenarios: ReadonlyArray<Scenario>
  readonly edit: (change: Partial<Draft>) => void
}

/** What is asked of the call beside its arguments: a cap, another model, a scenario of the sandbox. */
export const Terms = ({ draft, edit, operation, scenarios }: TermsProps) => {
  const chosen = scenarios.find(({ value }) => value === draft.scenario)
  const models = useId()
  if (operation.is_free && scenarios.length === 0 && !isChat(operation)) return null
  return (
    <div className={styles["terms"]}>
      {operation.is_free ? null : (
        <Field label="Cap in USD" error={capProblemOf(draft.cap)}>
          {(control) => (
            <input
              {...control}
              inputMode="decimal"
              autoComplete="off"
              placeholder="No cap"
              value={draft.cap}
              onChange={({ target }) => edit({ cap: target.value })}
            />
          )}
        </Field>
      )}
      {isChat(operation) ? (
        <Field label="Compare with">
          {(control) => (
            <>
              <input
                {...control}
                list={models}
                autoComplete="off"
                spellCheck={false}
                placeholder="None"
                value={draft.besideModel}
                onChange={({ target }) => edit({ besideModel: target.value.trim() })}
              />
              <datalist id={models}>
                {operation.models.map((model) => (
                  <option key={model} value={model} />
                ))}
              </datalist>
            </>
          )}
        </Field>
      ) : null}
      {scenarios.length === 0 ? null : (
        <Field label="Scenario" hint={chosen?.shows}>
          {(control) => (
            <select {...control} value={draft.scenario} onChange={({ target }) => edit({ scenario: target.value })}>
              <option value="">Normal</option>
              {scenarios.map(({ title, value }) => (
                <option key={value} value={value}>
                  {title}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
    </div>
  )
}
