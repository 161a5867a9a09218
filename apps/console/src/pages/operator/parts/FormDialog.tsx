import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react"
import { Button, ErrorNotice } from "../../../ui/kit.tsx"
import { Dialog } from "../../../ui/form.tsx"
import type { Change } from "./useChange.ts"

export interface FormProps {
  readonly change: Change
  readonly submit: string
  readonly danger?: boolean
  readonly onSubmit: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}

/** The content of a dialog that changes something. */
export const Form = ({ change, children, danger = false, onClose, onSubmit, submit }: FormProps) => {
  const form = useRef<HTMLFormElement>(null)
  const [sends, setSends] = useState(0)
  const send = (event: FormEvent) => {
    event.preventDefault()
    onSubmit()
    setSends(sends + 1)
  }
  // The first wrong value gets the focus, so that a screen reader tells what is wrong with it.
  useEffect(() => {
    if (sends > 0) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus()
  }, [sends])
  return (
    <form ref={form} onSubmit={send} noValidate>
      {children}
      {change.error === undefined ? null : <ErrorNotice error={change.error} />}
      <div className="row">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind={danger ? "danger" : "main"} type="submit" busy={change.busy} disabled={change.busy}>
          {submit}
        </Button>
      </div>
    </form>
  )
}

export interface FormDialogProps {
  readonly title: string
  readonly open: boolean
  readonly change: Change
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A dialog around a `Form`. If it is closed while the change is under way, a failure is shown in its place. */
export const FormDialog = ({ change, children, onClose, open, title }: FormDialogProps) => {
  const close = () => {
    if (!change.busy) change.dismiss()
    onClose()
  }
  return (
    <>
      {open || change.error === undefined ? null : (
        <ErrorNotice error={change.error}>
          <p>
            {title}. <Button onClick={change.dismiss}>Close</Button>
          </p>
        </ErrorNotice>
      )}
      <Dialog title={title} open={open} onClose={close}>
        {children}
      </Dialog>
    </>
  )
}
