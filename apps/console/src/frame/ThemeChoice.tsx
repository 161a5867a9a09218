import { attempt } from "@tollgate/contract/attempt"
import { useState } from "react"
import { Icon } from "../ui/Icon.tsx"

const themes = ["auto", "light", "dark"] as const
type Theme = (typeof themes)[number]

const name = "tollgate.theme"

const isTheme = (text: string | null): text is Theme => themes.some((theme) => theme === text)

/** What was chosen in this browser. */
const chosenTheme = (): Theme => {
  const stored = attempt(() => localStorage.getItem(name)) ?? null
  return isTheme(stored) ? stored : "auto"
}

export const applyTheme = (theme: Theme = chosenTheme()): void => {
  document.documentElement.dataset.theme = theme
}

const chooseTheme = (theme: Theme): void => {
  applyTheme(theme)
  attempt(() => localStorage.setItem(name, theme))
}

const labels: Readonly<Record<Theme, string>> = { auto: "System", light: "Light", dark: "Dark" }
const icons = { auto: "system", light: "sun", dark: "moon" } as const

export const ThemeChoice = () => {
  const [theme, setTheme] = useState(chosenTheme)
  const choose = (theme: Theme) => {
    chooseTheme(theme)
    setTheme(theme)
  }
  return (
    <>
      <button type="button" className="round" popoverTarget="theme" aria-label={`Theme: ${labels[theme]}`}>
        <Icon name={icons[theme]} />
      </button>
      <div id="theme" className="drop" popover="auto" role="radiogroup" aria-label="Theme">
        {themes.map((each) => (
          <label key={each} className="choice">
            <input type="radio" name="theme" checked={each === theme} onChange={() => choose(each)} />
            <Icon name={icons[each]} />
            {labels[each]}
          </label>
        ))}
      </div>
    </>
  )
}
