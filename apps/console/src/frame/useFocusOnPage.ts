import { useRouter } from "@tanstack/react-router"
import { useEffect } from "react"

/**
 * Another page gets the focus at its heading, so that a screen reader says it and Tab goes on from there. A page that put the
 * focus somewhere itself keeps it there.
 */
export const useFocusOnPage = (): void => {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe("onRendered", ({ fromLocation, pathChanged }) => {
        const main = document.getElementById("main")
        if (fromLocation === undefined || !pathChanged || main === null) return
        const { activeElement } = document
        if (activeElement !== main && main.contains(activeElement)) return
        const heading = main.querySelector("h1") ?? main
        heading.tabIndex = -1
        heading.focus({ preventScroll: true })
      }),
    [router]
  )
}
