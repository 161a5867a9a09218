/** A part of a line. */
export type Span =
  | { readonly kind: "text" | "code"; readonly text: string }
  | { readonly kind: "strong" | "stressed" | "struck"; readonly spans: ReadonlyArray<Span> }
  /** Only to `http` and `https`. A picture is a link to it: the page loads nothing from elsewhere. */
  | { readonly kind: "link"; readonly href: string; readonly text: string }

const spanPattern =
  /`([^`\n]+)`|\*\*([^*\n]+)\*\*|~~([^~\n]+)~~|!?\[([^[\]\n]*)\]\((https?:\/\/[^\s()]+)\)|(?<![\w*])\*([^*\s][^*\n]*)\*(?![\w*])|(?<!\w)_([^_\s][^_\n]*)_(?!\w)|(https?:\/\/[^\s<>()[\]"'`*]+)|\\([\\`*_|~[\]#>.-])/g

export const spansIn = (text: string): ReadonlyArray<Span> => {
  const spans: Array<Span> = []
  let end = 0
  for (const match of text.matchAll(spanPattern)) {
    const [whole, code, strong, struck, label, href, starred, lined, bare, escaped] = match
    if (match.index > end) spans.push({ kind: "text", text: text.slice(end, match.index) })
    const stressed = starred ?? lined
    if (code !== undefined) spans.push({ kind: "code", text: code })
    else if (strong !== undefined) spans.push({ kind: "strong", spans: spansIn(strong) })
    else if (struck !== undefined) spans.push({ kind: "struck", spans: spansIn(struck) })
    else if (href !== undefined)
      spans.push({ kind: "link", href, text: label === undefined || label === "" ? href : label })
    else if (stressed !== undefined) spans.push({ kind: "stressed", spans: spansIn(stressed) })
    else if (bare !== undefined) {
      const address = bare.replace(/[.,;:!?]+$/, "")
      spans.push({ kind: "link", href: address, text: address })
      end = match.index + address.length
      continue
    } else spans.push({ kind: "text", text: escaped ?? "" })
    end = match.index + whole.length
  }
  if (end < text.length) spans.push({ kind: "text", text: text.slice(end) })
  return spans
}
