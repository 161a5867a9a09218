import { useState } from "react"
import { Button } from "../../ui/kit.tsx"
import { Dialog, Field, Segments } from "../../ui/form.tsx"
import classes from "./overview.module.css"
import { type Choice, dayText, type Preset, presets, spanOf, wrongDays } from "./window.ts"

interface WindowPickerProps {
  readonly choice: Choice
  readonly onChoose: (choice: Choice) => void
}

interface DaysProps extends WindowPickerProps {
  readonly onClose: () => void
}

const Days = ({ choice, onChoose, onClose }: DaysProps) => {
  const span = spanOf(choice, Date.now() / 1000)
  const [from, setFrom] = useState(dayText(span.start))
  const [to, setTo] = useState(dayText(span.end - 1))
  const wrong = wrongDays(from, to)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (wrong !== undefined) return
        onChoose({ from, to })
        onClose()
      }}
    >
      <div className={classes["days"]}>
        <Field label="First day">
          {(control) => (
            <input {...control} type="date" value={from} onChange={({ target }) => setFrom(target.value)} />
          )}
        </Field>
        <Field label="Last day" hint="Days are UTC days." error={wrong}>
          {(control) => <input {...control} type="date" value={to} onChange={({ target }) => setTo(target.value)} />}
        </Field>
      </div>
      <div className={classes["buttons"]}>
        <Button kind="main" type="submit" disabled={wrong !== undefined}>
          Show these days
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </form>
  )
}

const options = [...presets, ["custom", "Custom"]] as const

/** The window of time that the page is about. */
export const WindowPicker = ({ choice, onChoose }: WindowPickerProps) => {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Segments<Preset | "custom">
        label="Window"
        options={options}
        value={typeof choice === "string" ? choice : "custom"}
        onChange={(id) => (id === "custom" ? setOpen(true) : onChoose(id))}
      />
      {typeof choice === "string" ? null : (
        <Button onClick={() => setOpen(true)}>
          {choice.from} – {choice.to}
        </Button>
      )}
      <Dialog title="Choose days" open={open} onClose={() => setOpen(false)}>
        <Days choice={choice} onChoose={onChoose} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  )
}
