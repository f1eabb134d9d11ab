/** A clock: the sign of Punctual. */
export function Mark() {
  return (
    <svg aria-hidden viewBox="0 0 32 32" className="size-5">
      <circle cx="16" cy="16" r="15" className="fill-accent" />
      <path
        d="M16 7v9l6 4"
        fill="none"
        className="stroke-on-accent"
        strokeWidth="3"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
