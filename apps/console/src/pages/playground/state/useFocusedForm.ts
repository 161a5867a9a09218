import { type RefObject, useEffect, useRef } from "react"

/** Set by a choice that was made with the keyboard, until the form of the chosen operation is there. */
let isAsked = false

/** The form that comes next gets the focus. */
export const focusNextForm = (): void => {
  isAsked = true
}

/** Takes the focus to the first control if the keyboard chose this form. A conversation begins with its message. */
export const useFocusedForm = (): RefObject<HTMLFormElement | null> => {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (!isAsked) return
    isAsked = false
    const controls = form.current?.querySelectorAll<HTMLElement>("textarea, input, select")
    const all = [...(controls ?? [])]
    const first = all.find((control) => control.getAttribute("aria-label") === "Message") ?? all[0]
    first?.focus()
  }, [])
  return form
}
