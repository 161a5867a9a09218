import { videoCreate } from "@tollgate/browser"
import { useCall } from "@tollgate/react"
import { type FormEvent, useEffect, useState } from "react"
import { Button } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { Field } from "../../ui/Field.tsx"
import { decimalUsd } from "./decimalUsd.ts"
import { Price } from "./Price.tsx"
import styles from "./tasks.module.css"

export interface NewTaskProps {
  /** `undefined` while they load. */
  readonly models: ReadonlyArray<string> | undefined
  readonly onStarted: (id: string) => void
}

/** Starts a video, with its price and a cap before the button. */
export const NewTask = ({ models, onStarted }: NewTaskProps) => {
  const [prompt, setPrompt] = useState("A paper boat on a river at dawn")
  const [typedModel, setModel] = useState<string>()
  const [typedCap, setCap] = useState<string>()
  const [price, setPrice] = useState<bigint>()
  const model = typedModel ?? models?.[0] ?? ""
  // The cap is the price that was shown, unless another is typed.
  const cap = typedCap ?? (price === undefined ? "" : decimalUsd(price))
  const isCap = cap === "" || /^\d{1,9}(\.\d{1,9})?$/.test(cap)
  const { call, error, resume, state, value } = useCall(videoCreate)
  useEffect(() => {
    if (value !== undefined) onStarted(value.output.task_id)
  }, [value, onStarted])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isCap) return
    // A person watches: a refusal is shown at once, and another attempt is theirs.
    call({ model, input: { prompt } }, { retries: 0, ...(cap === "" ? {} : { maxPrice: cap }) })
  }
  return (
    <Card title="New video">
      <form onSubmit={submit}>
        <Field label="Prompt">
          {(control) => (
            <textarea
              {...control}
              rows={3}
              required
              value={prompt}
              onChange={({ target }) => setPrompt(target.value)}
            />
          )}
        </Field>
        <div className={styles["terms"]}>
          <Field label="Model">
            {(control) => (
              <>
                <input
                  {...control}
                  required
                  spellCheck={false}
                  list="video-models"
                  value={model}
                  onChange={({ target }) => setModel(target.value)}
                />
                <datalist id="video-models">
                  {models?.map((name) => (
                    <option key={name} value={name} />
                  ))}
                </datalist>
              </>
            )}
          </Field>
          <Field label="Cap in USD" error={isCap ? undefined : "An amount, such as 0.05"}>
            {(control) => (
              <input
                {...control}
                inputMode="decimal"
                autoComplete="off"
                placeholder="none"
                value={cap}
                onChange={({ target }) => setCap(target.value.trim())}
              />
            )}
          </Field>
        </div>
        {error === undefined ? null : (
          <ErrorNotice error={error}>
            {resume === undefined ? null : (
              <>
                <p>It may have started. Asking for the outcome never starts or charges a second one.</p>
                <Button onClick={resume}>Ask for the outcome</Button>
              </>
            )}
          </ErrorNotice>
        )}
        <div className={styles["start"]}>
          {model === "" ? <span /> : <Price model={model} onPrice={setPrice} />}
          <Button
            kind="main"
            type="submit"
            busy={state === "pending"}
            disabled={model === "" || !isCap || resume !== undefined}
          >
            Start
          </Button>
        </div>
      </form>
    </Card>
  )
}
