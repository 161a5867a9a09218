interface Words {
  readonly text: string
  readonly kind?: "good" | "warn" | "bad" | "accent"
}

const words: Readonly<Record<string, Words>> = {
  PENDING: { text: "waiting", kind: "accent" },
  RUNNING: { text: "running", kind: "accent" },
  SUCCEEDED: { text: "done", kind: "good" },
  FAILED: { text: "failed", kind: "bad" },
  CANCELED: { text: "canceled", kind: "warn" },
  UNKNOWN: { text: "unknown", kind: "warn" }
}

export const taskWords = (status: string): Words => words[status] ?? { text: status }
