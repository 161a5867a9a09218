import { RouterProvider } from "@tanstack/react-router"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { applyTheme } from "./frame/theme.ts"
import { router } from "./router.tsx"
import { SessionProvider } from "./session/SessionProvider.tsx"
import "virtual:theme.css"
import "./ui/base.css"
import "./ui/kit.css"

applyTheme()

const element = document.getElementById("root")
if (element !== null) {
  createRoot(element).render(
    <StrictMode>
      <SessionProvider>
        <RouterProvider router={router} />
      </SessionProvider>
    </StrictMode>
  )
}
