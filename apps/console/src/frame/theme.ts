export const themes = ["auto", "light", "dark"] as const
export type Theme = (typeof themes)[number]

const name = "tollgate.theme"

const isTheme = (text: string | null): text is Theme => themes.some((theme) => theme === text)

/** What was chosen in this browser. Storage can be turned off. */
export const chosenTheme = (): Theme => {
  try {
    const stored = localStorage.getItem(name)
    return isTheme(stored) ? stored : "auto"
  } catch {
    return "auto"
  }
}

export const applyTheme = (theme: Theme = chosenTheme()): void => {
  document.documentElement.dataset.theme = theme
}

export const chooseTheme = (theme: Theme): void => {
  applyTheme(theme)
  try {
    localStorage.setItem(name, theme)
  } catch {
    // It lasts until the page is left.
  }
}
