import { useState } from "react"
import { chooseTheme, chosenTheme, type Theme, themes } from "./theme.ts"

const labels: Readonly<Record<Theme, string>> = { auto: "As the system", light: "Light", dark: "Dark" }

export const ThemeChoice = () => {
  const [theme, setTheme] = useState(chosenTheme)
  return (
    <select
      className="bare"
      aria-label="Theme"
      value={theme}
      onChange={({ target }) => {
        const chosen = themes.find((theme) => theme === target.value) ?? "auto"
        chooseTheme(chosen)
        setTheme(chosen)
      }}
    >
      {themes.map((theme) => (
        <option key={theme} value={theme}>
          {labels[theme]}
        </option>
      ))}
    </select>
  )
}
