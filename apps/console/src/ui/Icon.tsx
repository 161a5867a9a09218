/** Each is one path on a grid of 24. */
const paths = {
  overview: "M4 20V10M10 20V4M16 20v-7M22 20H2",
  playground: "M8 5v14l11-7z",
  models: "M12 3l8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9",
  calls: "M4 6h16M4 12h16M4 18h10",
  tasks: "M4 5h16v14H4zM10 9.5v5l4.5-2.5z",
  billing: "M3 6h18v12H3zM3 10h18M7 14.5h4",
  limits: "M4 18a8 8 0 1 1 16 0M12 18l4-6",
  links: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  grants: "M12 3l8 3v6c0 4.5-3.4 7.6-8 9-4.6-1.4-8-4.5-8-9V6zM9 12l2 2 4-4",
  tools: "M5 9h14v10H5zM12 5v4M9.5 13v2M14.5 13v2M2 12v4M22 12v4",
  operator: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2",
  docs: "M5 4h9l5 5v11H5zM14 4v5h5M8.5 13h7M8.5 16.5h5",
  menu: "M4 7h16M4 12h16M4 17h16",
  person: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4.5 20c.8-3.4 3.7-5 7.5-5s6.7 1.6 7.5 5",
  system: "M3 5h18v11H3zM9 20h6M12 16v4",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M18.7 5.3l-1.4 1.4M6.7 17.3l-1.4 1.4",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z",
  key: "M8 11a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM11 12l9-9M16 7l3 3",
  arrow: "M5 12h14M13 6l6 6-6 6"
} as const

export type IconName = keyof typeof paths

export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg
    className="icon"
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.75"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    <path d={paths[name]} />
  </svg>
)

/** The gateway's sign: a raised barrier. */
export const Mark = () => (
  <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="2.5" strokeLinecap="round" aria-hidden="true">
    <path d="M5 21V8M2.5 21h5M8 11.5 21 4" />
    <circle cx="5" cy="11" r="2.5" fill="currentColor" stroke="none" />
  </svg>
)
