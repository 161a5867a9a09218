import { type FormEvent, useState } from "react"
import { Button } from "../../../ui/Button.tsx"
import { Dialog } from "../../../ui/Dialog.tsx"
import { Field } from "../../../ui/Field.tsx"
import { parseSection } from "./section.ts"

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
        hint="As in the configuration file. Operations that it does not have keep the price of the contract."
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

export const PasteSection = ({ onClose, onPaste, open }: PasteSectionProps) => (
  <Dialog title="Paste a section" open={open} onClose={onClose}>
    <Fields onClose={onClose} onPaste={onPaste} />
  </Dialog>
)
