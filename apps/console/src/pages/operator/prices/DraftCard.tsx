import { type FormEvent, useState } from "react"
import { Form, Wrong } from "../../../ui/ChangeDialog.tsx"
import { ChoiceField, Dialog, Field } from "../../../ui/form.tsx"
import { Button, Card } from "../../../ui/kit.tsx"
import styles from "../operator.module.css"
import { counted } from "../parts.tsx"
import { parseDecimal, parseSection } from "./section.ts"

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
    : `${counted(changed, "price")} ${changed === 1 ? "is" : "are"} changed.`
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
      <Dialog title="Paste a section" open={pastes} onClose={() => setPastes(false)}>
        <Form<{ readonly section: object }>
          fields={{
            section: {
              label: "The section prices",
              hint: "As in the configuration file. Operations that you leave out keep the contract's price.",
              kind: "lines",
              required: true,
              read: (text) => {
                const { problem = "", section } = parseSection(text)
                return section ?? new Wrong(problem)
              }
            }
          }}
          submit="Try this section"
          onSubmit={({ section }) => {
            onPaste(section)
            setPastes(false)
          }}
          onClose={() => setPastes(false)}
        />
      </Dialog>
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
        <ChoiceField
          label="Try them on"
          options={[
            ["1", "The last 24 hours"],
            ["7", "The last 7 days"]
          ]}
          value={`${days}`}
          onChange={(days) => onDays(Number(days))}
        />
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
