import { quote, videoCreate } from "@tollgate/browser"
import { useCall, useLoad } from "@tollgate/react"
import { type FormEvent, useEffect, useMemo, useState } from "react"
import { usd } from "../../ui/amounts.ts"
import { Button } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { Field } from "../../ui/Field.tsx"

export interface NewTaskProps {
  /** `undefined` while they load. */
  readonly models: ReadonlyArray<string> | undefined
  readonly onStarted: (id: string) => void
}

const Price = ({ model }: { readonly model: string }) => {
  const effect = useMemo(() => quote(videoCreate, { model, input: { prompt: "a video" } }), [model])
  const { error, value } = useLoad(effect, { keep: true })
  if (error !== undefined) return <span className="soft small">No price for this model</span>
  return (
    <span className="soft small" aria-live="polite">
      {value === undefined ? "\u00a0" : `At most ${usd(value.max_micros_usd)}`}
    </span>
  )
}

/** Starts a video, with its price before the button. */
export const NewTask = ({ models, onStarted }: NewTaskProps) => {
  const [prompt, setPrompt] = useState("A paper boat on a river at dawn")
  const [typed, setModel] = useState<string>()
  const model = typed ?? models?.[0] ?? ""
  const { call, error, resume, state, value } = useCall(videoCreate)
  useEffect(() => {
    if (value !== undefined) onStarted(value.output.task_id)
  }, [value, onStarted])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    call({ model, input: { prompt } })
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
        <Field label="Model">
          {(control) => (
            <>
              <input
                {...control}
                required
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
        {error === undefined ? null : (
          <ErrorNotice error={error}>
            {resume === undefined ? null : <Button onClick={resume}>Ask for the outcome</Button>}
          </ErrorNotice>
        )}
        <div className="row">
          {model === "" ? null : <Price model={model} />}
          <Button kind="main" type="submit" busy={state === "pending"} disabled={model === ""}>
            Start
          </Button>
        </div>
      </form>
    </Card>
  )
}
