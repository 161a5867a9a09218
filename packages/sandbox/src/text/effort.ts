/** How many tokens a model thinks, by the effort that is asked of it. */
export const effort = { none: 0, minimal: 16, low: 32, medium: 64, high: 128, xhigh: 256, max: 512 } as const
