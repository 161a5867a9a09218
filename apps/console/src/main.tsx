import { RouterProvider } from "@tanstack/react-router"
import { options } from "preact"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { applyTheme } from "./frame/ThemeChoice.tsx"
import { router } from "./router.tsx"
import { restore, type Start } from "./session/restore.ts"
import { SessionProvider } from "./session/SessionProvider.tsx"
import "virtual:theme.css"
import "./ui/base.css"
import "./ui/kit.css"

applyTheme()

// Effects run right after they are rendered, as React does after a click: the next key finds the dialog open and the focus set.
options.requestAnimationFrame = queueMicrotask

const element = document.getElementById("root")
if (element !== null) {
  const show = (start: Start) =>
    createRoot(element).render(
      <StrictMode>
        <SessionProvider start={start}>
          <RouterProvider router={router} />
        </SessionProvider>
      </StrictMode>
    )
  const restored = restore()
  // The router starts after it: the address may be an answer of the authorization server.
  if (!(restored instanceof Promise)) show(restored)
  else
    void restored.then(show, () =>
      show({ ended: "You could not be signed in. The gateway cannot be reached, or its console has changed." })
    )
}
