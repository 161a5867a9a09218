/**
 * Makes reading easier, and is needed for nothing: it suggests pages while one types, copies code, and remembers the chosen
 * language. What may be found comes as one file when the box is first used.
 */
export const script = `(() => {
  const all = (selector, from = document) => [...from.querySelectorAll(selector)]
  const make = (name, attributes, ...children) => {
    const made = document.createElement(name)
    for (const key in attributes) made.setAttribute(key, attributes[key])
    made.append(...children)
    return made
  }
  const form = document.querySelector("form.search")
  const field = form.querySelector("input")
  const list = make("div", { id: "suggestions", role: "listbox", "aria-label": "Suggestions", hidden: "" })
  const said = make("p", { class: "quiet", role: "status" })
  form.append(list, said)
  for (const [key, value] of Object.entries({ role: "combobox", "aria-autocomplete": "list", "aria-controls": list.id }))
    field.setAttribute(key, value)
  const most = 8
  const plain = (text) => " " + text.toLowerCase().replace(/[^\\p{L}\\p{N}]+/gu, " ").trim() + " "
  let pages, chosen
  const load = async () => {
    const answer = await fetch(form.dataset.index)
    if (!answer.ok) throw new Error()
    const rows = await answer.json()
    return rows.map(([kind, title, href, text, words]) =>
      ({ kind, title, href, text, inTitle: plain(title), inText: plain(text), inWords: " " + words }))
  }
  const weightOf = ({ inText, inTitle, inWords }, word) => {
    if (inTitle.includes(" " + word + " ")) return 12
    if (inTitle.includes(" " + word)) return 8
    if (inText.includes(" " + word)) return 3
    if (inWords.includes(" " + word)) return 1
    return inTitle.includes(word) && word.length > 2 ? 1 : 0
  }
  const singular = (word) => word.length > 4 ? word.replace(/ies$|(?<=[sx])es$|(?<!s)s$/, "") : word
  const rank = (text) => {
    const phrase = plain(text)
    const words = phrase.trim().split(" ")
    return pages
      .map((page) => {
        const weights = words.map((word) => Math.max(weightOf(page, word), weightOf(page, singular(word))))
        const whole = (page.inTitle.includes(phrase) ? 6 : 0) + (page.href.includes("#") ? 0 : 2)
        const sum = weights.includes(0) ? 0 : weights.reduce((a, b) => a + b, whole) - page.inTitle.length / 100
        return { page, sum }
      })
      .filter(({ sum }) => sum > 0)
      .sort((a, b) => b.sum - a.sum)
      .map(({ page }) => page)
  }
  const choose = (option) => {
    for (const other of list.children) other.setAttribute("aria-selected", String(other === option))
    chosen = option
    if (option === undefined) return field.removeAttribute("aria-activedescendant")
    field.setAttribute("aria-activedescendant", option.id)
    option.scrollIntoView({ block: "nearest" })
  }
  const show = (isShown) => {
    list.hidden = !isShown
    field.setAttribute("aria-expanded", String(isShown))
    if (!isShown) choose()
  }
  const option = (id, href, ...children) =>
    make("a", { id: "suggestion-" + id, role: "option", tabindex: "-1", "aria-selected": "false", href }, ...children)
  const suggest = () => {
    const text = field.value
    if (pages === undefined) return
    if (plain(text).trim() === "") {
      said.textContent = ""
      return show(false)
    }
    const found = rank(text)
    const every = new URL(form.action)
    every.searchParams.set("q", text)
    const shown = found.slice(0, most)
    list.replaceChildren(
      ...shown.map(({ href, kind, text, title }, i) =>
        option(i, form.getAttribute("action") + href, make("b", {}, title), make("small", {}, kind), make("span", {}, text))),
      option("all", every.href, found.length === 0 ? "Nothing suggested. Search the whole text" : "All results")
    )
    choose()
    show(true)
    said.textContent = found.length === 0 ? "No suggestions" :
      (found.length > most ? most + " of " + found.length : found.length) + (found.length === 1 ? " suggestion" : " suggestions")
  }
  let isAsked = false
  const begin = () => {
    if (isAsked) return
    isAsked = true
    load().then((loaded) => { pages = loaded; if (document.activeElement === field && isTyped) suggest() }, () => { isAsked = false })
  }
  let isTyped = false
  field.addEventListener("focus", begin)
  field.addEventListener("input", () => { isTyped = true; begin(); suggest() })
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return
    const { key } = event
    if (key === "ArrowDown" && list.hidden) suggest()
    if (list.hidden) return
    const options = [...list.children]
    const at = options.indexOf(chosen)
    if (key === "ArrowDown") choose(options[at + 1])
    else if (key === "ArrowUp") choose(options.at(at === -1 ? -1 : at - 1 < 0 ? options.length : at - 1))
    else if (key === "Escape") show(false)
    else if (key === "Enter" && chosen !== undefined) chosen.click()
    else return
    event.preventDefault()
  })
  list.addEventListener("mousedown", (event) => event.preventDefault())
  list.addEventListener("click", () => show(false))
  form.addEventListener("focusout", ({ relatedTarget }) => { if (!form.contains(relatedTarget)) show(false) })
  show(false)
  if (document.activeElement === field) begin()
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) return
    event.preventDefault()
    field.focus()
  })
  for (const block of all("figure.code")) {
    const button = make("button", { type: "button" }, "Copy")
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
