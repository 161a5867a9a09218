/** Keeps cookies and follows no redirects, so that a test sees each step. */
export class Browser {
  readonly #cookies = new Map<string, { readonly value: string; readonly path: string }>()

  async fetch(url: string, init: RequestInit = {}): Promise<Response> {
    const { pathname } = new URL(url)
    const cookie = [...this.#cookies]
      .filter(([, { path }]) => pathname === path || pathname.startsWith(path.endsWith("/") ? path : `${path}/`))
      .map(([name, { value }]) => `${name}=${value}`)
      .join("; ")
    const headers = new Headers(init.headers)
    headers.set("accept", "text/html")
    if (cookie !== "") headers.set("cookie", cookie)
    const response = await fetch(url, { ...init, headers, redirect: "manual" })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    return response
  }

  post(url: string, fields: Readonly<Record<string, string>>): Promise<Response> {
    return this.fetch(url, { method: "POST", body: new URLSearchParams(fields) })
  }

  #keep(line: string): void {
    const [pair = "", ...attributes] = line.split("; ")
    const at = pair.indexOf("=")
    const path = attributes.find((attribute) => attribute.toLowerCase().startsWith("path="))?.slice(5) ?? "/"
    const value = pair.slice(at + 1)
    if (value === "") this.#cookies.delete(pair.slice(0, at))
    else this.#cookies.set(pair.slice(0, at), { value, path })
  }
}
