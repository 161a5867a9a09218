import { type FormEvent, useState } from "react"
import { count } from "../../../ui/amounts.ts"
import { Button, Card } from "../../../ui/kit.tsx"
import { Dialog, Field } from "../../../ui/form.tsx"
import styles from "../operator.module.css"
import { parseDecimal, parseSection } from "./section.ts"

interface PasteSectionProps {
  readonly open: boolean
  readonly onClose: () => void
  readonly onPaste: (section: object) => void
}

const Fields = ({ onClose, onPaste }: Omit<PasteSectionProps, "open">) => {
  const [text, setText] = useState("")
  const [problem, setProblem] = useState<string>()
  const send = (event: FormEvent) => {
    event.preventDefault()
    const { problem, section } = parseSection(text)
    setProblem(problem)
    if (section === undefined) return
    onPaste(section)
    onClose()
  }
  return (
    <form onSubmit={send} noValidate>
      <Field
        label="The section prices"
        hint="As in the configuration file. Operations that you leave out keep the contract's price."
        error={problem}
      >
        {(control) => (
          <textarea
            {...control}
            className="mono"
            rows={12}
            spellCheck={false}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      <div className="row">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="main" type="submit">
          Try this section
        </Button>
      </div>
    </form>
  )
}

const PasteSection = ({ onClose, onPaste, open }: PasteSectionProps) => (
  <Dialog title="Paste a section" open={open} onClose={onClose}>
    <Fields onClose={onClose} onPaste={onPaste} />
  </Dialog>
)

interface DraftCardProps {
  readonly changed: number
  readonly isPasted: boolean
  /** Whether the preview of it is under way. */
  readonly isBusy: boolean
  /** It is tried on the calls of so many days. */
  readonly days: number
  readonly onDays: (days: number) => void
  readonly onMultiply: (factor: bigint) => void
  readonly onPaste: (section: object) => void
  readonly onReset: () => void
}

const draftWords = ({ changed, isPasted }: Pick<DraftCardProps, "changed" | "isPasted">): string => {
  if (isPasted) return "Previewing the pasted section."
  return changed === 0
    ? "No price is changed yet."
    : `${count(changed)} ${changed === 1 ? "price is" : "prices are"} changed.`
}

/** What would be changed, and over which calls it is tried. */
export const DraftCard = ({
  changed,
  days,
  isBusy,
  isPasted,
  onDays,
  onMultiply,
  onPaste,
  onReset
}: DraftCardProps) => {
  const [factor, setFactor] = useState("1.1")
  const [wrong, setWrong] = useState<string>()
  const [pastes, setPastes] = useState(false)
  const multiply = (event: FormEvent) => {
    event.preventDefault()
    const parsed = parseDecimal(factor)
    setWrong(parsed === undefined ? "A decimal with up to nine places, such as 1.1" : undefined)
    if (parsed !== undefined) onMultiply(parsed)
  }
  return (
    <Card title="Try other prices">
      <PasteSection open={pastes} onClose={() => setPastes(false)} onPaste={onPaste} />
      <div className={styles.draft}>
        <form onSubmit={multiply} noValidate>
          <Field label="Multiply all prices by" error={wrong}>
            {(control) => (
              <span className={styles.inline}>
                <input
                  {...control}
                  inputMode="decimal"
                  value={factor}
                  onChange={({ target }) => setFactor(target.value)}
                />
                <Button type="submit">Multiply</Button>
              </span>
            )}
          </Field>
        </form>
        <Field label="Try them on">
          {(control) => (
            <select {...control} value={days} onChange={({ target }) => onDays(Number(target.value))}>
              <option value={1}>The last 24 hours</option>
              <option value={7}>The last 7 days</option>
            </select>
          )}
        </Field>
      </div>
      <div className={styles.foot}>
        <span role="status" className="soft">
          {draftWords({ changed, isPasted })} {isBusy ? "Trying it on past calls…" : ""}
        </span>
        <span className={styles.inline}>
          {changed === 0 && !isPasted ? null : (
            <Button kind="quiet" onClick={onReset}>
              Discard
            </Button>
          )}
          <Button onClick={() => setPastes(true)}>Paste a section</Button>
        </span>
      </div>
    </Card>
  )
}
