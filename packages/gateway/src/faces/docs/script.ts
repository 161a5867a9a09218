/**
 * Makes reading easier, and is needed for nothing: it filters the lists while one types, copies code, and remembers the
 * chosen language.
 */
export const script = `(() => {
  const all = (selector, from = document) => [...from.querySelectorAll(selector)]
  const field = document.querySelector("#q")
  const menu = document.querySelector("#menu")
  const found = document.querySelector("#found")
  const items = all("[data-find]")
  const filter = () => {
    const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean)
    for (const item of items) item.hidden = !words.every((word) => item.dataset.find.includes(word))
    for (const group of all("[data-group]")) group.hidden = !all("[data-find]", group).some((item) => !item.hidden)
    const links = items.filter((item) => !item.hidden).map((item) => item.querySelector("a").href)
    const count = new Set(links).size
    const more = menu.dataset.partial === undefined ? "" : " here. Enter searches all."
    found.textContent = words.length === 0 ? "" : count + (count === 1 ? " page" : " pages") + more
    for (const part of all(".hero, .cards")) part.hidden = words.length > 0
    if (words.length === 0 || !matchMedia("(max-width: 60rem)").matches) return
    // What is found may be on the page only: then the menu would hide it.
    const isInMenu = count === 0 || all("[data-find]", menu).some((item) => !item.hidden)
    if (isInMenu !== menu.matches(":popover-open")) menu.togglePopover()
  }
  field.addEventListener("input", filter)
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) return
    event.preventDefault()
    field.focus()
  })
  for (const block of all("figure.code")) {
    const button = document.createElement("button")
    button.type = "button"
    button.textContent = "Copy"
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(block.querySelector("code").textContent)
      button.textContent = "Copied"
      setTimeout(() => (button.textContent = "Copy"), 2000)
    })
    if (navigator.clipboard) block.querySelector("figcaption").append(button)
  }
  const remembered = (use) => { try { return use(localStorage) } catch { return null } }
  const language = remembered((storage) => storage.getItem("docs-language"))
  for (const choice of all("input[name=language]")) {
    if (choice.value === language) choice.checked = true
    choice.addEventListener("change", () => remembered((storage) => storage.setItem("docs-language", choice.value)))
  }
})()`
