import { useState } from "react"
import { Icon } from "../ui/Icon.tsx"
import { chooseTheme, chosenTheme, type Theme, themes } from "./theme.ts"

const labels: Readonly<Record<Theme, string>> = { auto: "As the system", light: "Light", dark: "Dark" }
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
