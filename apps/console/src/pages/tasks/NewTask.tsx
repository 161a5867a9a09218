import { quote, videoCreate } from "@tollgate/browser"
import { useCall, useLoad } from "@tollgate/react"
import { type FormEvent, useEffect, useMemo, useState } from "react"
import { Button, Card, ErrorNotice, QuoteWords } from "../../ui/kit.tsx"
import { TextField } from "../../ui/form.tsx"
import { parseCap, usdText } from "../../ui/parseUsd.ts"
import { pauseInTyping } from "../playground/state/useRecovering.ts"
import styles from "./tasks.module.css"

interface PriceProps {
  readonly model: string
  /** Gets the most that it can cost, in micro-USD. */
  readonly onPrice: (micros: bigint | undefined) => void
}

/** What a video costs at most, asked of the gateway. A quote is free. */
const Price = ({ model, onPrice }: PriceProps) => {
  // The price depends on the model alone.
  const effect = useMemo(() => pauseInTyping(quote(videoCreate, { model, input: { prompt: "a video" } })), [model])
  const quoted = useLoad(effect)
  const most = quoted.value?.max_micros_usd
  useEffect(() => onPrice(most === undefined ? undefined : BigInt(most)), [onPrice, most])
  return <QuoteWords of={quoted} value={quoted.value} waiting="Asking for a quote…" />
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
  const cap = typedCap ?? usdText(price)
  const problem = cap === "" ? undefined : parseCap(cap).problem
  const { call, error, resume, state, value } = useCall(videoCreate)
  useEffect(() => {
    if (value !== undefined) onStarted(value.output.task_id)
  }, [value, onStarted])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (problem !== undefined) return
    // A person watches: a refusal is shown at once, and another attempt is theirs.
    call({ model, input: { prompt } }, { retries: 0, ...(cap === "" ? {} : { maxPrice: cap }) })
  }
  return (
    <Card title="New video">
      <form onSubmit={submit}>
        <TextField label="Prompt" rows={3} required value={prompt} onChange={setPrompt} />
        <div className={styles["terms"]}>
          <TextField
            label="Model"
            required
            spellCheck={false}
            suggestions={models ?? []}
            value={model}
            onChange={setModel}
          />
          <TextField
            label="Cap in USD"
            error={problem}
            inputMode="decimal"
            placeholder="none"
            value={cap}
            onChange={(text) => setCap(text.trim())}
          />
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
            disabled={model === "" || problem !== undefined || resume !== undefined}
          >
            Start
          </Button>
        </div>
      </form>
    </Card>
  )
}
