import { quote, videoCreate } from "@tollgate/browser"
import { useCall, useLoad } from "@tollgate/react"
import { type FormEvent, useEffect, useMemo, useState } from "react"
import { usd } from "../../ui/amounts.ts"
import { Button, Card, ErrorNotice } from "../../ui/kit.tsx"
import { Field } from "../../ui/form.tsx"
import { pauseInTyping } from "../playground/state/useRecovering.ts"
import styles from "./tasks.module.css"

/** Micro-USD as the decimal that a cap takes: `0.05`. */
const decimalUsd = (micros: bigint): string => {
  const digits = micros.toString().padStart(7, "0")
  const fraction = digits.slice(-6).replace(/0+$/, "")
  return `${digits.slice(0, -6)}${fraction === "" ? "" : `.${fraction.padEnd(2, "0")}`}`
}

interface PriceProps {
  readonly model: string
  /** Gets the most that it can cost, in micro-USD. */
  readonly onPrice: (micros: bigint | undefined) => void
}

/** What a video costs at most, asked of the gateway. A quote is free. */
const Price = ({ model, onPrice }: PriceProps) => {
  // The price depends on the model alone.
  const effect = useMemo(() => pauseInTyping(quote(videoCreate, { model, input: { prompt: "a video" } })), [model])
  const { error, value } = useLoad(effect)
  const most = value?.max_micros_usd
  useEffect(() => onPrice(most === undefined ? undefined : BigInt(most)), [onPrice, most])
  return (
    <p className={styles["price"]} role="status">
      {error !== undefined ? (
        <span>No quote: {error.message}</span>
      ) : value === undefined ? (
        <span>Asking for a quote…</span>
      ) : (
        <>
          <strong>at most {usd(value.max_micros_usd)}</strong>
          <span>about {usd(value.estimate_micros_usd)}</span>
        </>
      )}
    </p>
  )
}

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
