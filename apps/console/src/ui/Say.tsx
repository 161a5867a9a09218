import { useLocation } from "@tanstack/react-router"
import { createContext, type ReactNode, use, useCallback, useEffect, useState } from "react"
import { Button } from "./kit.tsx"

const Context = createContext<(words: string) => void>(() => {})

/** Says that something was done, also to screen readers. */
export const useSay = (): ((words: string) => void) => use(Context)

export const SayProvider = ({ children }: { readonly children: ReactNode }) => {
  const [words, setWords] = useState("")
  const { pathname } = useLocation()
  const clear = useCallback(() => setWords(""), [])
  useEffect(() => clear, [pathname, clear])
  return (
    <Context value={setWords}>
      {children}
      <div className="said" role="status">
        {words === "" ? null : (
          <>
            <span>{words}</span>
            <Button kind="quiet" onClick={clear} aria-label="Close the message">
              Close
            </Button>
          </>
        )}
      </div>
    </Context>
  )
}
