import { useEffect, useState } from "react"
import { Button } from "./Button.tsx"

/** Copies a text, and says so for a moment. */
export const Copy = ({ label = "Copy", text }: { readonly text: string; readonly label?: string }) => {
  const [state, setState] = useState<"idle" | "copied" | "failed">("idle")
  useEffect(() => {
    if (state === "idle") return undefined
    const timer = setTimeout(() => setState("idle"), 2_000)
    return () => clearTimeout(timer)
  }, [state])
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setState("copied"),
      () => setState("failed")
    )
  return (
    <Button kind="quiet" onClick={() => void copy()}>
      <span aria-live="polite">{state === "idle" ? label : state === "copied" ? "Copied" : "Select it and copy"}</span>
    </Button>
  )
}
