import { Form, Wrong } from "../../../ui/ChangeButton.tsx"
import { ChoiceField, DialogButton } from "../../../ui/form.tsx"
import { Button, Card } from "../../../ui/kit.tsx"
import styles from "../operator.module.css"
import { counted } from "../../../ui/amounts.ts"
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
export const DraftCard = (props: DraftCardProps) => {
  const { changed, days, isBusy, isPasted, onDays, onMultiply, onPaste, onReset } = props
  return (
    <Card title="Change prices">
      <div className={styles.draft}>
        <Form<{ readonly factor: bigint }>
          fields={{
            factor: {
              label: "Multiply all prices by",
              initial: "1.1",
              required: true,
              read: (text) => parseDecimal(text) ?? new Wrong("A decimal with up to nine places, such as 1.1")
            }
          }}
          submit="Multiply"
          onSubmit={({ factor }) => onMultiply(factor)}
        />
        <ChoiceField
          label="Preview them on"
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
          {draftWords({ changed, isPasted })} {isBusy ? "Pricing past calls…" : ""}
        </span>
        <span className={styles.inline}>
          {changed === 0 && !isPasted ? null : (
            <Button kind="quiet" onClick={onReset}>
              Discard
            </Button>
          )}
          <DialogButton label="Paste a section" title="Paste a section">
            {(close) => (
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
                submit="Preview"
                onSubmit={({ section }) => {
                  onPaste(section)
                  close()
                }}
                onClose={close}
              />
            )}
          </DialogButton>
        </span>
      </div>
    </Card>
  )
}
