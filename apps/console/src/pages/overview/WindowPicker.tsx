import { Form } from "../../ui/ChangeButton.tsx"
import { useState } from "react"
import { Button } from "../../ui/kit.tsx"
import { Dialog, Segments } from "../../ui/form.tsx"
import { type Choice, dayText, type Preset, presets, spanOf, wrongDays } from "./window.ts"

interface WindowPickerProps {
  /** Only windows of whole days. */
  readonly isOfDays?: boolean
  readonly choice: Choice
  readonly onChoose: (choice: Choice) => void
}

export const WindowPicker = ({ choice, isOfDays = false, onChoose }: WindowPickerProps) => {
  const [open, setOpen] = useState(false)
  const span = spanOf(choice, Date.now() / 1000)
  return (
    <>
      <Segments<Preset | "custom">
        label="Window"
        options={[...presets.filter(([id]) => !isOfDays || id !== "24h"), ["custom", "Custom"]]}
        value={typeof choice === "string" ? choice : "custom"}
        onChange={(id) => (id === "custom" ? setOpen(true) : onChoose(id))}
      />
      {typeof choice === "string" ? null : (
        <Button onClick={() => setOpen(true)}>
          {choice.from} – {choice.to}
        </Button>
      )}
      <Dialog title="Choose days" open={open} onClose={() => setOpen(false)}>
        {() => (
          <Form<{ readonly from: string; readonly to: string }>
            fields={{
              from: { label: "First day", kind: "date", initial: dayText(span.start), half: true },
              to: {
                label: "Last day",
                hint: "Days are UTC days.",
                kind: "date",
                initial: dayText(span.end - 1),
                half: true
              }
            }}
            check={({ from, to }) => ({ to: wrongDays(String(from), String(to)) })}
            submit="Show these days"
            onSubmit={(days) => {
              onChoose(days)
              setOpen(false)
            }}
            onClose={() => setOpen(false)}
          />
        )}
      </Dialog>
    </>
  )
}
