"""What an alert says, which channels it goes to, and how each is spoken to.

`message` is the alert as data, `render` its forms, `channels` the settings and
the routing, `delivery` the outcome of one attempt and when the next is due;
every other module is one kind of receiver.
"""
