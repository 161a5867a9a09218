import { isObject } from "../state/json.ts"

export interface Medium {
  readonly kind: "image" | "video"
  readonly url: string
}

const mostMedia = 6
const mostValues = 5_000

const isWeb = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text)
const isImage = (text: string): boolean => /\.(png|jpe?g|gif|webp|avif)(\?|#|$)/i.test(text)
const isVideo = (text: string): boolean => /\.(mp4|webm|mov)(\?|#|$)/i.test(text)
const isBase64 = (text: string): boolean => /^[A-Za-z0-9+/]{40,}={0,2}$/.test(text)

/** The kind of an image by its first bytes in base64. */
const typeOf = (base64: string): string =>
  base64.startsWith("/9j/") ? "image/jpeg" : base64.startsWith("UklGR") ? "image/webp" : "image/png"

const mediumOf = (name: string, text: string): Medium | undefined => {
  if (isWeb(text)) {
    if (isVideo(text) || name === "video_url") return { kind: "video", url: text }
    return isImage(text) || name === "image_url" ? { kind: "image", url: text } : undefined
  }
  return name === "b64_json" && isBase64(text)
    ? { kind: "image", url: `data:${typeOf(text)};base64,${text}` }
    : undefined
}

/** Images and videos in an answer: addresses of the web, and images within it. No other address is ever one. */
export const mediaIn = (value: unknown): ReadonlyArray<Medium> => {
  const found: Array<Medium> = []
  const queue: Array<readonly [string, unknown]> = [["", value]]
  for (let seen = 0; seen < queue.length && seen < mostValues && found.length < mostMedia; seen++) {
    const [name, each] = queue[seen] ?? ["", undefined]
    if (typeof each === "string") {
      const medium = mediumOf(name, each)
      if (medium !== undefined && !found.some(({ url }) => url === medium.url)) found.push(medium)
    } else if (Array.isArray(each))
      queue.push(...each.slice(0, mostValues).map((inner: unknown) => [name, inner] as const))
    else if (isObject(each)) queue.push(...Object.entries(each).slice(0, mostValues))
  }
  return found
}
