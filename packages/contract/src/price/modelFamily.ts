const date = /[-@](?:\d{4}-?\d{2}-?\d{2}|\d{2}-\d{4}|\d{3}|latest)$/

/** A model's name without its date, version of three digits and maker: `openai/gpt-6-astra-2026-08-01` is `gpt-6-astra`. */
export const familyOf = (name: string): string => name.slice(name.lastIndexOf("/") + 1).replace(date, "")
