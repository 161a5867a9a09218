/** Makes reading easier, and is needed for nothing: it copies code, and remembers the chosen language. */
export const script = `(() => {
  const all = (selector) => [...document.querySelectorAll(selector)]
  const field = document.querySelector("form.search input")
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
