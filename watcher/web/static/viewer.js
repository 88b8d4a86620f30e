// Without a fragment, bring what the link is about into view: the passage, or the change.
"use strict";
if (!location.hash) {
  const about = document.querySelector("mark, [data-first]");
  const place = about?.getBoundingClientRect();
  if (place && (place.top < 0 || place.bottom > innerHeight)) {
    about.scrollIntoView({ block: place.height < innerHeight / 2 ? "center" : "start" });
  }
}
