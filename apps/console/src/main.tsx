import { RouterProvider } from "@tanstack/react-router"
import { options } from "preact"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { applyTheme } from "./frame/ThemeChoice.tsx"
import { router } from "./router.tsx"
import { restore } from "./session/signIn.ts"
import "virtual:theme.css"
import "./ui/base.css"
import "./ui/kit.css"

applyTheme()

// Effects run right after they are rendered, as React does after a click: the next key finds the dialog open and the focus set.
options.requestAnimationFrame = queueMicrotask

const element = document.getElementById("root")
if (element !== null) {
  const show = () =>
    createRoot(element).render(
      <StrictMode>
        <RouterProvider router={router} />
      </StrictMode>
    )
  const restored = restore()
  // The router starts after it: the address may be an answer of the authorization server.
  if (restored instanceof Promise) void restored.then(show)
  else show()
}
