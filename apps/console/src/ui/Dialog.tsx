import { type ReactNode, useEffect, useId, useRef } from "react"

export interface DialogProps {
  readonly title: string
  readonly open: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

/** The browser's own modal dialog: it keeps the focus inside, and Escape closes it. */
export const Dialog = ({ children, onClose, open, title }: DialogProps) => {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (open && dialog.current?.open === false) dialog.current.showModal()
    if (!open) dialog.current?.close()
  }, [open])
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      {open ? (
        <>
          <h2 id={id}>{title}</h2>
          {children}
        </>
      ) : null}
    </dialog>
  )
}
